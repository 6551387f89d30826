"""Upper bounds of the scores of all elements of a document."""
