"""What every room may use and what knows none of them: memories, locks, files, optional libraries."""
