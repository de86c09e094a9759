"""Training, evaluation and statistics on top of Stable-Baselines3."""
