"""What keeps a place safe: headers of every answer, who may ask, under which name."""
