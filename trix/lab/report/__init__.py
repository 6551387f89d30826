"""What came out: tables, figures, a page."""
