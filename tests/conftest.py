"""Settings shared by the whole suite."""

from hypothesis import settings

# Kernels compile inside the first example, so a deadline would only measure the compiler.
settings.register_profile("quiltrail", deadline=None)
settings.load_profile("quiltrail")
