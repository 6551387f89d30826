"""External sort of postings: from the keys of batches to the inverted file of a segment."""
