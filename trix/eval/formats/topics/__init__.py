"""Topics: one reader for all formats."""
