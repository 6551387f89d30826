"""The measures: a small file per family."""
