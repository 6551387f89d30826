"""Which tasks build and merge the segments of an index?"""
