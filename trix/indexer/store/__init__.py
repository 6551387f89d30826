"""Stored columns of an index: written and read by name [FORMAT, section 1]."""
