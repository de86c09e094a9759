"""Sunpleat: signed prefix reversal under a move budget."""
