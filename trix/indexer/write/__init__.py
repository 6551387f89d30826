"""How do the parts of a build become one index?"""
