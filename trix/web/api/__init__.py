"""JSON API of the library; parameters, checks and the OpenAPI description come from one declaration each."""
