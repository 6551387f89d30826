"""What do documents say of themselves, and which of them say this?"""
