"""Which elements answer a query on content and structure, and which form a level?"""
