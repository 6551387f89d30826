"""Which elements and which text does this document have? From bytes to a record."""
