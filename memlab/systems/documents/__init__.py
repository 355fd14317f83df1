"""The systems that five documents describe, one file each; none uses the reference's guard or trust ranks."""
