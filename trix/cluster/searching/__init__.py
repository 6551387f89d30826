"""How is one index searched by many machines, with the answers of one?"""
