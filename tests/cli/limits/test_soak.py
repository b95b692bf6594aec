"""The soak finds a program that is wrong, and says how to repeat it."""

import importlib.util
import os
import sys
import unittest

from support import BIN, CliTest, ROOT, SOLVED

SOAK = ROOT / "tests" / "soak" / "soak.py"

# A spsolve whose answers are wrong in the last number.
WRONG = f"""#!/bin/bash
{BIN}/spsolve "$@" || exit
for file in x.mtx y.mtx; do
  if grep -q 'A = ' $file 2>/dev/null; then sed -i '$ s/.*/7.5/' $file; fi
done
"""


@unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not here: python3-numpy")
class Soak(CliTest):
    def soak(self, folder, *arguments):
        return self.run_program(sys.executable, SOAK, *arguments,
                                environment={"SPSOLVE_BIN": str(folder)})

    def test_a_few_rounds(self):
        for seed in range(1, 5):
            result = self.soak(BIN, "--seed", seed)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertIn("no difference", result.out)

    def test_a_wrong_answer_is_found(self):
        folder = self.folder / "bin"
        folder.mkdir()
        path = folder / "spsolve"
        path.write_text(WRONG)
        path.chmod(0o755)
        os.symlink(BIN / "spbench", folder / "spbench")
        result = self.soak(folder, "--seed", 2)
        self.assertEqual(result.code, 1, result.text)
        self.assertRegex(result.out, "seed 2: .* differs from numpy's")
        self.assertIn("repeat with: ./dev soak --seed 2", result.out)


if __name__ == "__main__":
    unittest.main()
