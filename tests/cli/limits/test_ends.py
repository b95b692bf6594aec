"""What is left of a run that is ended on its way, wherever it stands: no report says for ever that it
runs. Those of eliminations that keep checkpoints are in test_checkpoint.py, and those that a watchdog
ends in test_faults.py."""

import signal

from checkpointed_runs import Checkpoint
from support import BIN, INTERRUPTED, TIME_LIMIT

SYSTEM = """
matrix: "random_dense:300"
solve: {method: gauss}
output: {solution: x.mtx, report: report.json, html: r.html, progress: off}
"""
PRODUCT = """
task: multiply
matrix: "grid2d:60"
output: {product: x.mtx, report: report.json, html: r.html}
"""


class Ends(Checkpoint):
    def check_stopped(self, text, by):
        said = f"spsolve: stopped by {by.name} before the end; nothing is kept"
        self.assertEqual(text.count(said), 1, text)
        report = self.report()
        self.assertEqual((report["status"], report["failure"]["exit_code"]),
                         ("stopped", INTERRUPTED))
        self.assertIn(f"stopped by {by.name}", report["failure"]["message"])
        self.assertIn('badge stopped">stopped', (self.folder / "r.html").read_text())
        left = {path.name for path in self.folder.iterdir()}
        self.assertEqual(left, {"c.yaml", "report.json", "r.html"})

    def test_by_a_signal_in_any_phase(self):
        for config, phase in ((SYSTEM, "read"), (SYSTEM, "check"), (PRODUCT, "multiply")):
            self.write("c.yaml", config)
            for how in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1,
                        signal.SIGUSR2, signal.SIGXCPU):
                with self.subTest(phase=phase, how=how.name):
                    code, text = self.signalled(how, fault=f"phase={phase}:await")
                    self.assertEqual(code, -how, text)  # as a shell expects it
                    self.check_stopped(text, how)

    def test_hup_ends_an_elimination_as_well(self):
        self.write("c.yaml", SYSTEM)
        code, text = self.signalled(signal.SIGHUP)
        self.assertEqual(code, -signal.SIGHUP, text)
        self.check_stopped(text, signal.SIGHUP)

    def test_nohup_stays_nohup(self):
        self.needs_faults()
        self.write("c.yaml", SYSTEM)
        # A signal that nobody takes ends the wait of the fault as little as the run.
        script = (f"trap '' HUP; {BIN / 'spsolve'} c.yaml & pid=$!; "
                  "until [ -e report.json ]; do sleep 0.01; done; kill -HUP $pid; wait $pid")
        result = self.run_program("bash", "-c", script, timeout=TIME_LIMIT)
        self.assertEqual(result.code, 0, result.text)
        self.assertEqual(self.report()["status"], "solved")

    def test_one_rank_of_several_ends_all(self):
        self.write("c.yaml", SYSTEM)
        code, text = self.signalled(signal.SIGTERM, 2, to_rank=0)
        self.assertEqual(code, INTERRUPTED, text)
        self.check_stopped(text, signal.SIGTERM)

    def test_what_mpirun_ends(self):
        self.write("c.yaml", SYSTEM)
        for how in (signal.SIGTERM, signal.SIGINT):
            # It lets ranks live for some seconds, more where the machine needs them, and at times
            # ends before it has handed on their last words.
            for patience in (1, 10, 100):
                code, text = self.signalled(
                    how, 2, environment={"OMPI_MCA_odls_base_sigkill_timeout": str(patience)})
                self.assertNotEqual(code, 0, text)
                if self.report()["status"] != "running" and "stopped by" in text:
                    break
            with self.subTest(how.name):
                self.check_stopped(text, signal.SIGTERM)  # what it sends
