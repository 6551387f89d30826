"""Document reader: from bytes to the elements and text of a document."""
