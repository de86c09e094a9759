"""Learning Tinrail by self-play against frozen snapshots, and rating them."""
