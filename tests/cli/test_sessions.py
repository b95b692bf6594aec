"""The sessions that the guides print, run as they are printed."""

import os
import re
import subprocess
import unittest

from support import BIN, CliTest, ROOT, TIME_LIMIT, variables


def commands_of(guide):
    """(command, what it prints) of the blocks whose lines begin with '$ '."""
    found = []
    for block in re.findall(r"```\n(\$ .*?)```", (ROOT / guide).read_text(), re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            found.append((command, printed))
    return found


def pattern_of(printed):
    """A regular expression for a text in which a line '...' stands for any lines, and '...' at the
    end of a line for its rest."""
    lines = [".*" if line == "..." else re.sub(r"\\\.\\\.\\\.$", "[^\\n]*", re.escape(line)) + "\n"
             for line in printed.splitlines()]
    return "".join(lines)


class Shell(CliTest):
    def test_the_session_of_the_guide(self):
        commands = commands_of("docs/sessions.md")
        self.assertGreater(len(commands), 7)
        path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
        for command, printed in commands:
            with self.subTest(command):
                ran = subprocess.run(["bash", "-c", command], cwd=self.folder, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                                     timeout=TIME_LIMIT, env=variables({"PATH": path}))
                self.assertTrue(re.fullmatch(pattern_of(printed), ran.stdout, re.DOTALL),
                                f"{command}\nprints\n{ran.stdout}\nand not\n{printed}")


if __name__ == "__main__":
    unittest.main()
