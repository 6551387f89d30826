"""Places in documents: pages, verses, lines and columns that milestones start."""
