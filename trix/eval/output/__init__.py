"""How does it look? Tables and figures."""
