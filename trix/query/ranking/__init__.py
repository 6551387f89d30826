"""Which of the scored elements are shown, in which order?"""
