"""The library over HTTP: a thin twin, whose parameters, checks and description come from one declaration each."""
