"""What do ancestors and neighbours add? Forms read scores and write scores, so they chain."""
