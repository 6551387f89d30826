"""Tasks that build and merge the segments of an index on a cluster."""
