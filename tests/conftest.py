"""What takes an hour is collected where it is asked for: `make hostile`."""

import os

collect_ignore = [] if os.environ.get("MEMLAB_HOSTILE") == "full" else ["grading/test_hostile_full.py"]
