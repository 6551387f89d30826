"""The served site: its index, limits, metrics and request queue."""
