"""What every game shares: engines, randomness, actions, legality, records. No RL library."""
