"""Profiles: the meaning of a schema's tags as data; file format, presets, and detection."""
