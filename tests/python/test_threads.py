"""Threads of Python: others run while one solves, and several solve at once; Ctrl-C."""

import os
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import spsolve
from test_module import system


class Threads(unittest.TestCase):
    def test_other_threads_run_meanwhile(self):
        ticks, done = [], threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(1)
                time.sleep(0.001)

        thread = threading.Thread(target=tick)
        thread.start()
        spsolve.factor("random_dense:900", method="gauss", condition=False)
        done.set()
        thread.join()
        self.assertGreater(len(ticks), 5)

    def test_waiting_threads_sleep_soon_unless_the_user_says_how(self):
        for told, expected in (({}, "'1000'"), ({"GOMP_SPINCOUNT": "70000"}, "'70000'")):
            environment = {key: value for key, value in os.environ.items()
                           if key not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")}
            done = subprocess.run(
                [sys.executable, "-c", "import spsolve, os; print(os.environ.get('GOMP_SPINCOUNT'))"],
                env={**environment, **told, "OMP_DISPLAY_ENV": "VERBOSE"},
                capture_output=True, text=True, check=True)
            if "GOMP_SPINCOUNT" not in done.stderr:
                self.skipTest("the OpenMP here is not GNU's")
            self.assertIn(f"GOMP_SPINCOUNT = {expected}", done.stderr)
            self.assertEqual(done.stdout.strip(), told.get("GOMP_SPINCOUNT", "None"))

    def test_a_solve_in_a_thread(self):
        results = []
        a, b = system()
        thread = threading.Thread(target=lambda: results.append(spsolve.solve(a, b)))
        thread.start()
        thread.join()
        np.testing.assert_allclose(a @ results[0], b, atol=1e-12)

    def test_threads_share_factors(self):
        a, b = system(k=8)
        f = spsolve.factor(a, method="sparse_lu")
        results = [None] * 8

        def solve(k):
            results[k] = f.solve(b[:, k])

        threads = [threading.Thread(target=solve, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        np.testing.assert_allclose(a @ np.stack(results, axis=1), b, atol=1e-12)

    def test_ctrl_c(self):
        """An interrupt ends an elimination that would take minutes, and Python goes on."""
        program = ("import os, signal, threading, spsolve\n"
                   "threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
                   "try:\n"
                   "    spsolve.factor('random_dense:6000', method='gauss')\n"
                   "except KeyboardInterrupt:\n"
                   "    print('interrupted', spsolve.solve('grid2d:5', [1.0] * 25).size)\n")
        result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                                timeout=600, check=False)
        self.assertEqual((result.returncode, result.stdout), (0, "interrupted 25\n"), result.stderr)


if __name__ == "__main__":
    unittest.main()
