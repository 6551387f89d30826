"""Cache of recent terms: their document lists and maximal impacts."""
