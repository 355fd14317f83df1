"""The memory systems that can be compared, one file each, with the verbs observe, recall and assemble."""
