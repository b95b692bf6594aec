"""Inertia of random KKT systems beside exact inertia, by tests/soak/inertia.py."""

import pathlib
import re
import subprocess
import sys
import unittest

SOAK = pathlib.Path(__file__).resolve().parents[1] / "soak" / "inertia.py"


class Inertia(unittest.TestCase):
    def test_none_that_is_certain_is_wrong(self):
        words = ("--systems", "40", "--order", "25")
        run = subprocess.run([sys.executable, SOAK, *words], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        found = re.search(r"certain (\d+) of (\d+) whose", run.stdout)
        certain, far = map(int, found.groups())
        self.assertGreater(far, 8, run.stdout)
        self.assertGreaterEqual(certain, 0.8 * far, run.stdout)


if __name__ == "__main__":
    unittest.main()
