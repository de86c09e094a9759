"""What every registered id has to do, by looping over the registry."""
