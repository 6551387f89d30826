"""What a measure is: its registration, name, parameters, groups, and the view of a topic that it looks at."""
