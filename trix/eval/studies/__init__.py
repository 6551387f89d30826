"""Studies of one or several runs: tests, density, granulation, simulation, fusion, the official report."""
