"""Documents rendered as HTML: in parts, by the roles of their tags, with their matching passages."""
