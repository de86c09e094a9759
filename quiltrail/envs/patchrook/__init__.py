"""Patchrook: exact-cover quilts with lifts and restarts."""
