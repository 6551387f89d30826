"""Tables and figures of evaluations."""
