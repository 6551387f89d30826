"""Which content elements hold a key, how often, and where."""
