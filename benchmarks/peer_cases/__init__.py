"""Scripts that time other packages, each run by the Python of that package's own environment.

They import nothing of quiltrail: `clock` is quiltrail/bench/clock.py, found by the path that
`benchmarks.peers` sets, so that everything is timed by one clock.
"""
