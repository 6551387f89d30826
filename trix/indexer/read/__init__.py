"""What do the sources of an index say, and how does it read?"""
