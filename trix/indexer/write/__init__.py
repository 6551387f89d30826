"""How do documents become a segment: from sources, or from older segments?"""
