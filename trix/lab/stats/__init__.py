"""What are runs made of?"""
