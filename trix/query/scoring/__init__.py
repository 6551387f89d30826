"""What is a key worth in an element?"""
