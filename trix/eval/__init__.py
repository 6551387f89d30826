"""Topics, runs and assessments in, measures out. Needs no index."""
