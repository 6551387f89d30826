"""The pages: an address in, HTML out; each is whole without scripts."""
