"""Security: response headers, and access by token."""
