"""Reports of experiments: tables, figures, a page."""
