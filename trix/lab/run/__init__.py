"""Every variant on every topic, in worker processes, with a journal."""
