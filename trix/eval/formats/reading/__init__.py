"""What all readers share: opening files, lines with their numbers, XML that streams."""
