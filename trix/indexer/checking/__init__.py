"""Is every checksum and every invariant of an index right?"""
