"""Values of puzzles whose moves hold no chance, learned by a network from its own play."""
