"""What tests of checkpoints share: runs that stop at a step, however fast the machine is, by
SPSOLVE_FAULT (lib/process/fault.hpp), and go on."""

import os
import pathlib
import random
import subprocess

from support import BIN, CliTest, INTERRUPTED, SOLVED, TIME_LIMIT, variables

SYSTEM = """
matrix: "random_dense:{order}:seed=3"
right_hand_side: {{kind: random, columns: 2}}
solve: {{method: {method}, block: 32}}
output: {{solution: x.mtx, report: report.json, progress: off}}
checkpoint: {{directory: kept, interval: {interval}}}
"""
SPARSE_SYSTEM = """
matrix: "{matrix}"
right_hand_side: {{kind: random, columns: 2}}
solve: {{method: {method}}}
output: {{solution: x.mtx, report: report.json, progress: off}}
checkpoint: {{directory: kept, interval: {interval}}}
"""
ORDER = 350
HOUR = 3600  # an interval, and a limit, that only an injected day is longer than


def at(step, *what):
    """SPSOLVE_FAULT of all ranks: `what`, one after the other, each so many steps later; of lu, a
    panel is a step."""
    return ",".join(f"rank=all:phase=eliminate:step={step}:{one}" for one in what)


class Checkpoint(CliTest):
    def configure(self, order=ORDER, method="gauss", interval=0):
        self.write("c.yaml", SYSTEM.format(order=order, method=method, interval=interval))

    def kept(self):
        folder = self.folder / "kept"
        return sorted(folder.iterdir()) if folder.exists() else []

    def solution(self):
        return (self.folder / "x.mtx").read_bytes()

    def failing(self, fault, *settings, ranks=1, config="c.yaml", **options):
        """A run with an injected failure, to its end."""
        self.needs_faults()
        return self.spsolve(config, *settings, ranks=ranks, environment={"SPSOLVE_FAULT": fault},
                            **options)

    def stopped(self, step=100, ranks=1):
        """A run that a signal stops after so many steps."""
        result = self.failing(at(step, "end"), ranks=ranks)
        self.assertEqual(result.code, INTERRUPTED, result.text)

    def waits_for_a_signal(self, ranks=1, step=100, fault="", environment=None):
        """The launched program, in the background, all its ranks waiting behind so many steps, or
        as `fault` has it; of one rank, itself."""
        self.needs_faults()
        command = [BIN / "spsolve", "c.yaml"]
        if ranks > 1:
            command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", ranks, *command]
        process = subprocess.Popen([str(word) for word in command], cwd=self.folder,
                                   env=variables({"SPSOLVE_FAULT": fault or at(step, "await"),
                                                  **(environment or {})}),
                                   stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(self.end, process)
        for _ in range(ranks):
            self.wait_for("waits for a signal", process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()

    def wait_for(self, words, process):
        """Until the log tells of them."""
        text = ""
        for line in process.stdout:
            text += line
            if words in line:
                return
        self.fail(f"it ended without a word of '{words}': {text}")

    def signalled(self, how, ranks=1, step=100, to_rank=None, **options):
        """Sends the signal to an elimination on its way, or to one of its ranks; (code, words)."""
        process = self.waits_for_a_signal(ranks, step, **options)
        if to_rank is None:
            process.send_signal(how)
        else:
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
            os.kill(int(children.read_text().split()[to_rank]), how)
        text = process.communicate(timeout=TIME_LIMIT)[0]
        return process.returncode, text

    def check_goes_on(self, undisturbed, ranks=1, same=True):
        result = self.spsolve("c.yaml", ranks=ranks)
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertGreater(report["checkpoint"]["resumed_step"], 0)
        self.assertRegex(report["checkpoint"]["resumed_from"], r"kept/spsolve-.*\.checkpoint")
        self.assertLess(report["backward_error"], 1e-14)
        self.assertEqual(self.kept(), [])
        if same:
            self.assertEqual(self.solution(), undisturbed)
        return report

    def undisturbed(self, ranks=1):
        """The solution of a run without a break; nothing is left of it."""
        result = self.spsolve("c.yaml", ranks=ranks)
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertNotIn("resumed_step", report["checkpoint"])
        self.assertEqual(self.kept(), [])
        solution = self.solution()
        (self.folder / "x.mtx").unlink()
        return solution


class SparseCheckpoint(Checkpoint):
    """Checkpoints of sparse methods, next to which the analysis lies."""

    def configure(self, matrix="grid3d:12", method="sparse_lu", interval=0):
        self.write("c.yaml", SPARSE_SYSTEM.format(matrix=matrix, method=method, interval=interval))

    def kept(self):
        return [path for path in super().kept() if path.suffix != ".analysis"]

    def analyses(self):
        return [path for path in super().kept() if path.suffix == ".analysis"]

    def write_without_diagonal(self, diagonal=None):
        """A symmetric matrix whose diagonal pivots do not do, in the order it comes in: entries of
        ten sizes off the diagonal, and on it `diagonal` or nothing."""
        order, chance = 600, random.Random(610)
        entries = {}
        for i in range(order):
            for j in (chance.randrange(order), chance.randrange(order)):
                if i != j:
                    size = 10 ** chance.uniform(-8, 0)
                    entries[max(i, j), min(i, j)] = chance.uniform(-1, 1) * size
            if diagonal is not None:
                entries[i, i] = diagonal
        self.write("a.mtx", f"%%MatrixMarket matrix coordinate real symmetric\n"
                            f"{order} {order} {len(entries)}\n" +
                   "".join(f"{i + 1} {j + 1} {value!r}\n"
                           for (i, j), value in sorted(entries.items())))
