"""The experiments that come with the package, as YAML files."""
