"""Trix inside other people's tools; each module needs the tool, and nothing in Trix needs the module."""
