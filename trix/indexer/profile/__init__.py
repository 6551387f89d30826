"""What do this schema's tags mean? Profiles as data, their file form, presets, and which of them fits."""
