"""Parts of every experiment: prepared collection, printed and computed tables, figures, report."""
