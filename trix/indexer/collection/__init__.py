"""Where do documents come from? Folders, patterns, archives, compressed files, lists."""
