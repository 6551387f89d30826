"""What do several runs show? Tests, density, granulation, simulation, fusion, the official report."""
