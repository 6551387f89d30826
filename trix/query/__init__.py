"""Index and query in, ranked elements out. Knows nothing of files, topics or measures."""
