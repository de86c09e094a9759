"""Learning the value of after-states, without a neural network: Patchwork's strongest players."""
