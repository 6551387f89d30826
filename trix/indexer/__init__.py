"""XML in, index out. Knows nothing of queries."""
