"""Places in documents: the pages, verses, lines and columns that milestones begin."""
