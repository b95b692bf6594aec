"""How threads of the programs wait for their next loop: not for long, unless the user says otherwise."""

import os
import pathlib
import subprocess
import sys
import unittest

from support import BIN, CliTest, SOLVED


class Waiting(CliTest):
    def runtime(self, program, **environment):
        """What the runtime of OpenMP says of itself when it begins, and the result."""
        result = self.run_program(BIN / program, "--version",
                                  environment={"OMP_DISPLAY_ENV": "verbose", **environment})
        self.assertEqual(result.code, SOLVED, result.text)
        if "GOMP_SPINCOUNT" not in result.err:
            self.skipTest("the runtime of OpenMP is not GNU's")
        self.assertEqual(result.err.count("GOMP_SPINCOUNT"), 1, "begins once, as far as it is seen")
        return result.err, result

    def test_threads_soon_sleep(self):
        # With a variable of a shell whose place is taken, and without.
        of_no_shell = dict.fromkeys(("_", "OLDPWD", "SHLVL"))
        for program in ("spsolve", "spmtx", "spbench"):
            for environment in ({**of_no_shell, "SHLVL": "1"}, of_no_shell):
                with self.subTest(program, environment=environment):
                    told, result = self.runtime(program, **environment)
                    self.assertIn("GOMP_SPINCOUNT = '1000'", told)
                    self.assertTrue(result.out.startswith(program), "is called what it was called")

    def test_what_users_say_stands(self):
        self.assertIn("GOMP_SPINCOUNT = '77'", self.runtime("spsolve", GOMP_SPINCOUNT="77")[0])
        for policy in ("active", "passive"):
            told = self.runtime("spsolve", OMP_WAIT_POLICY=policy)[0]
            self.assertIn(f"OMP_WAIT_POLICY = '{policy.upper()}'", told)
            self.assertNotIn("GOMP_SPINCOUNT = '1000'", told)

    def test_what_other_work_took_is_told(self):
        if not pathlib.Path("/proc/self/schedstat").exists():
            self.skipTest("the kernel counts no waiting")
        one = {min(os.sched_getaffinity(0))}
        with subprocess.Popen([sys.executable, "-c", "while True: pass"],
                              preexec_fn=lambda: os.sched_setaffinity(0, one)) as other:
            try:
                result = self.run_program("taskset", "-c", min(one), BIN / "spsolve", "grid3d:30",
                                          "--method", "sparse_lu", "--threads", "1", "--report", "r.json")
            finally:
                other.kill()
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report("r.json")
        waited = report["rank_table"][0]["waited_seconds"]
        self.assertGreater(waited, 0)
        self.assertEqual("busy processors" in result.out + result.err,
                         waited >= 0.25 * report["seconds"]["total"]["max"])

    def test_arguments_and_the_environment_stay(self):
        result = self.run_program(BIN / "spsolve", "grid2d:4", "", "--quiet")
        self.assertNotEqual(result.code, SOLVED, "an empty argument is one")
        result = self.run_program(BIN / "spsolve", "grid2d:4", "--report", "r.json",
                                  environment={"OMP_NUM_THREADS": "1"})
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report("r.json")
        self.assertEqual(report["threads"], 1)
        self.assertTrue(report["command_line"].endswith("spsolve grid2d:4 --report r.json"))


if __name__ == "__main__":
    unittest.main()
