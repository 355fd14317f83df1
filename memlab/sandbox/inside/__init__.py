"""Code that runs inside a sandbox: each file imports the standard library only, and is sent as source."""
