"""Integrations of Trix in other tools; each module needs its tool, and no other part of Trix needs the module."""
