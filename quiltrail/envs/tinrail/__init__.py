"""Tinrail: two engines, one table of rails, the last one riding wins."""
