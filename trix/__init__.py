"""Trix: ranked elements of any size from a folder of XML of any schema, scored with their context."""

__version__ = "0.1.0"
