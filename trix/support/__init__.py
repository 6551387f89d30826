"""What every room may use and what knows none of them: backends, memories, locks, files, optional libraries."""
