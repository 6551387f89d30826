"""Which elements hold which keys, how often, and which of them stand above, below or beside others?"""
