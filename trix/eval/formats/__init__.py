"""What does this file say? A room each for topics, runs and assessments; formats are told by content."""
