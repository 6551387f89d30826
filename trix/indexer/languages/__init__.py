"""In which language is what, and what does that change for its words?"""
