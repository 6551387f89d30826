"""How much can any element of a document score?"""
