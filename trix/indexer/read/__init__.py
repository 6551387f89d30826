"""Source texts of an opened index, and their display form."""
