"""Pattern matching in English text: injected instructions, references, assertions."""
