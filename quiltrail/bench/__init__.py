"""How fast the environments are, and how near to the machine's limit: ``quiltrail bench``."""
