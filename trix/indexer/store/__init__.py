"""What stands in the files of an index: written and read, column by column [FORMAT, section 1]."""
