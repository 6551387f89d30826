"""Common parts of all readers: numbered lines, streamed XML, errors."""
