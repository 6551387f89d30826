"""Source files of test collections: folders and archives, checksums, trees with paths, and ranges of characters."""
