"""What English text gives away: injected instructions, references, assertions."""
