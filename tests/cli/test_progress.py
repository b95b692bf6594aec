"""What a terminal shows while a long elimination runs, dense or sparse."""

import os
import pty
import re
import subprocess
import threading
import unittest

from support import BIN, CliTest, SOLVED, TIME_LIMIT, variables

# Eliminations of a second or so on one thread: a row is due after 0.2 s.
LONG = (("lu", "random_dense:3000:seed=1"), ("sparse_cholesky", "grid3d:45"))
ROW = (r"\reliminating: +(\d+\.\d) %  (?:step|front) (\d+) of (\d+)  \d+\.\d+ GFLOP/s  \d+ s, "
       r"about (\d+) s left\x1b\[K")


class Progress(CliTest):
    def on_a_terminal(self, *arguments):
        """The exit code, and what is said on a terminal that is the standard error."""
        ours, theirs = pty.openpty()
        said = []

        def listen():
            try:
                while text := os.read(ours, 4096):
                    said.append(text)
            except OSError:
                pass  # how a terminal ends whose other side is closed

        with subprocess.Popen([BIN / "spsolve", *arguments], cwd=self.folder, env=variables(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=theirs) as process:
            os.close(theirs)
            listener = threading.Thread(target=listen)
            listener.start()
            code = process.wait(TIME_LIMIT)
            listener.join()
        os.close(ours)
        return code, b"".join(said).decode()

    def test_percent_and_time_left(self):
        for method, matrix in LONG:
            with self.subTest(method):
                self.write("c.yaml", f'matrix: "{matrix}"\nsolve: {{method: {method}}}\n'
                                     "output: {report: report.json}\n")
                code, said = self.on_a_terminal("c.yaml", "--verbose")
                self.assertEqual(code, SOLVED, said)
                rows = re.findall(ROW, said)
                self.assertGreater(len(rows), 0, said)
                report = self.report()
                steps = report["sparse"]["fronts"] if "sparse" in report \
                    else report["matrix"]["rows"]
                for percent, step, of, _ in rows:
                    self.assertLessEqual(float(percent), 100)
                    self.assertLessEqual(int(step), int(of))
                    self.assertEqual(int(of), steps)
                percents = [float(row[0]) for row in rows]
                self.assertEqual(percents, sorted(percents))
                # A verbose log names each phase as it begins.
                self.assertTrue(said.index(" analyse\r\n") < said.index(" eliminate\r\n"), said)

    def test_iterations_and_sweeps(self):
        code, said = self.on_a_terminal(
            "grid3d:110", "--method", "cg", "--set", "solve.preconditioner=none", "--verbose")
        self.assertEqual(code, SOLVED, said)
        rows = re.findall(r"\riterating: +(\d+\.\d) %  iteration (\d+) of \d+, "
                          r"backward error (\S+)  \d+ s, about \d+ s left", said)
        self.assertGreater(len(rows), 0, said)
        self.assertEqual(rows, sorted(rows, key=lambda row: int(row[1])))
        # Of a slow machine there is a line of the first steps, where the largest residual may grow.
        self.assertLess(float(rows[-1][2]), 10)
        for _, _, error in rows:
            self.assertGreater(float(error), 0)
        code, said = self.on_a_terminal("grid2d:30", "--verbose")
        self.assertEqual(code, SOLVED, said)
        self.assertRegex(said, r"first solution: backward error \S+ normwise, \S+ componentwise")
        self.assertRegex(said, r"refinement, sweep 1: .*; x changed by \S+")
        self.assertNotIn("sweep", self.on_a_terminal("grid2d:30")[1])

    def test_nothing_where_it_is_off(self):
        self.write("c.yaml", 'matrix: "grid3d:45"\noutput: {progress: off}\n')
        code, said = self.on_a_terminal("c.yaml")
        self.assertEqual((code, said), (SOLVED, ""))


if __name__ == "__main__":
    unittest.main()
