"""What is this element called, and which element is called so?"""
