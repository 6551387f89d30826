"""Cache of recent terms: document lists and maximum impacts."""
