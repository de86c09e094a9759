"""Wrappers that Gymnasium, PettingZoo and SB3 lack."""
