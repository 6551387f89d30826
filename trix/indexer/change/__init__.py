"""Updates of an index: adding, deleting, replacing and merging."""
