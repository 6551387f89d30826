"""Plans of experiments: grids, splits and collections, read from TOML."""
