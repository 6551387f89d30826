"""The commands, a module each or one for a family; a module is imported when its command is asked for."""
