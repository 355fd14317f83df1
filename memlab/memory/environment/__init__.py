"""The real environment: files below a root folder, variables, commands, symbols and targets."""
