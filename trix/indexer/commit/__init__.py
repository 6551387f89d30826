"""Which segments are the index now, and how does a folder change without ever being half changed?"""
