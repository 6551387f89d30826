"""What is judged and what is ranked: assessments, runs, intervals, paths, quantisations."""
