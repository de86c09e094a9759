"""Policies for Stable-Baselines3 that fit the games; a config names them (see `train.parts`)."""
