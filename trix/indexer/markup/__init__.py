"""What does this document hold, by its markup? The compiled way to the same records."""
