"""What runs inside a sandbox: each file here stands alone on the standard library, and is sent as source."""
