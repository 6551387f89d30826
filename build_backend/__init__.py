"""The build of Trix: setuptools, the check of what a build needs, and a C compiler where the machine has none."""
