"""In-memory forms of assessments and runs, with intervals, paths and quantisations."""
