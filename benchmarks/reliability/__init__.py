"""What the page docs/reliability.md says, and the commands that measure it."""
