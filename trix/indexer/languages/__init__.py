"""Language of each element, and the analyzer that follows from it."""
