"""What does a result look like? Made when it is looked at, a block of results at a time."""
