"""Documents as HTML: by the roles of their tags, in parts, with the chain of matching passages through them."""
