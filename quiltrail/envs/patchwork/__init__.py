"""Patchwork: sew patches on a quilt; full rows, columns and blocks are stitched away."""
