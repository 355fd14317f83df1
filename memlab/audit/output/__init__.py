"""What an audit writes: text, JSON, SARIF, a baseline, a patch."""
