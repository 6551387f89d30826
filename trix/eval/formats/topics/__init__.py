"""Topics: a reader a format, and one that tells formats apart."""
