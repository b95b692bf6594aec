"""Eliminations that are stopped and go on: by signals, by time, with damaged files and full disks.

How the arithmetic goes on, and which files are good, is the matter of tests/mpi/checkpoint_test.cpp.
All of them stop at a step, however fast the machine is: by SPSOLVE_FAULT (lib/process/fault.hpp), or
by a time limit so short that one step is done."""

import re
import signal
import subprocess
import unittest

from support import BIN, CliTest, INPUT, INTERRUPTED, RESOURCES, SOLVED, TIME_LIMIT, variables

SYSTEM = """
matrix: "random_dense:{order}:seed=3"
right_hand_side: {{kind: random, columns: 2}}
solve: {{method: {method}, block: 32}}
output: {{solution: x.mtx, report: report.json, progress: off}}
checkpoint: {{directory: kept, interval: {interval}}}
"""
ORDER = 350
HOUR = 3600  # an interval, and a limit, that only an injected day is longer than
ONE_STEP = ("--set", "checkpoint.time_limit=1")


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
        """A run that a signal stops behind so many steps."""
        result = self.failing(at(step, "end"), ranks=ranks)
        self.assertEqual(result.code, INTERRUPTED, result.text)

    def waits_for_a_signal(self, ranks=1, step=100):
        """The launched program, in the background, all its ranks waiting behind so many steps; of one
        rank, itself."""
        self.needs_faults()
        command = [BIN / "spsolve", "c.yaml"]
        if ranks > 1:
            command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", ranks, *command]
        process = subprocess.Popen([str(word) for word in command], cwd=self.folder,
                                   env=variables({"SPSOLVE_FAULT": at(step, "await")}),
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

    def signalled(self, how, ranks=1):
        """Sends the signal to an elimination on its way; (code, words)."""
        process = self.waits_for_a_signal(ranks)
        process.send_signal(how)
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


class Signals(Checkpoint):
    def test_a_signal_stops_it_and_the_same_command_goes_on(self):
        self.configure()
        for how in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR2):
            for ranks in (1, 2):
                if ranks > 1 and how != signal.SIGUSR2:
                    continue  # mpirun takes those for itself
                with self.subTest(how=how.name, ranks=ranks):
                    solution = self.undisturbed(ranks)
                    code, text = self.signalled(how, ranks)
                    self.assertEqual(code, INTERRUPTED, text)
                    self.assertEqual(text.count("spsolve: stopped by a signal, as asked, at step 100 "
                                                f"of {ORDER}"), 1, text)
                    self.assertFalse((self.folder / "x.mtx").exists())
                    self.assertEqual(self.report()["status"], "stopped")
                    self.assertEqual(len(self.kept()), ranks)
                    report = self.check_goes_on(solution, ranks)
                    self.assertEqual(report["checkpoint"]["resumed_step"], 100)

    def test_other_numbers_of_ranks(self):
        for method, step in (("gauss", 100), ("lu", 3)):
            self.configure(method=method)
            for before, after in ((2, 3), (3, 2)):
                with self.subTest(method=method, before=before, after=after):
                    self.stopped(step, before)
                    self.check_goes_on(None, after, same=False)

    def test_the_rate_is_that_of_the_steps_that_were_left(self):
        for method, power, step in (("gauss_jordan", 2, 100), ("gauss", 3, 100), ("lu", 3, 3)):
            with self.subTest(method):
                self.configure(method=method)
                self.stopped(step)
                result = self.spsolve("c.yaml")
                self.assertEqual(result.code, SOLVED, result.text)
                report = self.report()
                left = 1 - report["checkpoint"]["resumed_step"] / ORDER
                self.assertTrue(0 < left < 1, left)
                flops = (1 if method == "gauss_jordan" else 2 / 3) * ORDER**3 * left**power
                seconds = report["seconds"]["eliminate"]["max"]
                self.assertAlmostEqual(report["gflops"] * seconds * 1e9 / flops, 1)

    def test_mixed_precision(self):
        self.configure(method="lu, precision: mixed")
        solution = self.undisturbed(2)
        self.stopped(3, 2)
        self.check_goes_on(solution, 2)

    def test_usr1_writes_one_and_goes_on(self):
        self.configure()
        solution = self.undisturbed(2)
        code, text = self.signalled(signal.SIGUSR1, 2)
        self.assertEqual(code, SOLVED, text)
        self.assertIn(f"checkpoint of step 100 of {ORDER}", text)
        report = self.report()["checkpoint"]
        self.assertEqual(report["written"], 1)
        self.assertEqual(report["failed"], 0)
        self.assertGreater(report["bytes"], 8 * ORDER**2)
        self.assertGreater(report["share"], 0)
        self.assertEqual(self.solution(), solution)
        self.assertEqual(self.kept(), [])

    def test_without_a_folder_a_sentence_and_a_report_are_left(self):
        self.write("c.yaml", 'matrix: "random_dense:300"\nsolve: {method: gauss}\n'
                             'output: {solution: x.mtx, report: report.json}\n')
        for how in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(how):
                code, text = self.signalled(how)
                self.assertEqual(code, -how, text)  # as a shell expects it
                self.assertEqual(text.count("spsolve: stopped by a signal before the end"), 1, text)
                report = self.report()
                self.assertEqual((report["status"], report["failure"]["exit_code"]),
                                 ("stopped", INTERRUPTED))
                self.assertFalse((self.folder / "x.mtx").exists())


class Time(Checkpoint):
    def goes_on_again_and_again(self, order, fault, *settings):
        """The steps at which runs with that limit stopped, until one solved it."""
        self.configure(order=order)
        solution = self.undisturbed()
        steps = []
        while len(steps) <= order:
            environment = {"SPSOLVE_FAULT": fault} if fault else {}
            result = self.spsolve("c.yaml", *settings, environment=environment)
            if result.code == SOLVED:
                break
            self.assertEqual(result.code, INTERRUPTED, result.text)
            found = re.search(rf"stopped before checkpoint.time_limit at step (\d+) of {order}",
                              result.err)
            self.assertTrue(found, result.err)
            steps.append(int(found[1]))
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(self.solution(), solution)
        return steps

    def test_a_limit_again_and_again(self):
        self.needs_faults()
        self.assertEqual(self.goes_on_again_and_again(
            ORDER, at(100, "late"), "--set", f"checkpoint.time_limit={HOUR}"), [100, 200, 300])

    def test_a_limit_that_is_too_short_for_anything(self):
        """The first run does one step all the same; the next one knows that none would get further."""
        self.configure()
        result = self.spsolve("c.yaml", *ONE_STEP)
        self.assertEqual(result.code, INTERRUPTED, result.text)
        kept = {path.name: path.read_bytes() for path in self.kept()}
        for ranks in (1, 2):
            result = self.spsolve("c.yaml", *ONE_STEP, ranks=ranks)
            self.assertEqual(result.code, RESOURCES, result.text)
            self.assertEqual(result.err.count("checkpoint.time_limit=1 leaves no time to eliminate in"),
                             1, result.err)
            self.assertEqual({path.name: path.read_bytes() for path in self.kept()}, kept)
        self.check_goes_on(None, same=False)

    def test_an_interval(self):
        self.configure(interval=HOUR)
        result = self.failing(at(100, "late", "late"), ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual(report["checkpoint"]["written"], 2)
        self.assertGreater(report["seconds"]["checkpoint"]["max"], 0)
        self.assertIn("checkpoints", result.out)


class Files(Checkpoint):
    def setUp(self):
        super().setUp()
        self.configure()

    def leave_one(self):
        """A generation of one rank."""
        result = self.spsolve("c.yaml", *ONE_STEP)
        self.assertEqual(result.code, INTERRUPTED, result.text)

    def leave_two(self):
        """Two generations of one rank; the newest last."""
        self.leave_one()
        result = self.failing(at(50, "late"), "--set", f"checkpoint.time_limit={HOUR}")
        self.assertEqual(result.code, INTERRUPTED, result.text)
        self.assertEqual(len(self.kept()), 2)
        return self.kept()

    def test_a_damaged_one_is_named_and_the_one_before_used(self):
        solution = self.undisturbed()
        before, newest = self.leave_two()
        with open(newest, "r+b") as file:
            file.seek(5000)
            byte = file.read(1)
            file.seek(5000)
            file.write(bytes([byte[0] ^ 1]))
        report = self.check_goes_on(solution)
        self.assertIn(before.name, report["checkpoint"]["resumed_from"])
        notes = [note for note in report["notes"] if newest.name in note]
        self.assertEqual(len(notes), 1, report["notes"])
        self.assertIn("is damaged", notes[0])

    def test_require_says_what_is_wrong(self):
        result = self.spsolve("c.yaml", "--set", "checkpoint.resume=require", ranks=2)
        self.assertEqual(result.code, INPUT, result.text)
        self.assertEqual(result.err.count("holds no good checkpoint"), 1, result.err)
        self.leave_one()
        self.write("d.yaml", (self.folder / "c.yaml").read_text().replace("seed=3", "seed=4"))
        result = self.spsolve("d.yaml", "--set", "checkpoint.resume=require")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn(f"{self.kept()[-1].name}: belongs to another matrix", result.err)

    def test_runs_of_other_systems_share_a_folder(self):
        self.leave_one()
        theirs = self.kept()
        self.write("d.yaml", (self.folder / "c.yaml").read_text().replace(str(ORDER), "200"))
        result = self.spsolve("d.yaml")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn(f"belongs to a matrix of order {ORDER}, not 200", result.err)
        self.assertEqual(self.kept(), theirs)

    def test_a_folder_that_cannot_be_made(self):
        self.write("kept", "a file")
        result = self.spsolve("c.yaml", ranks=2)
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertEqual(result.err.count("the folder of checkpoint.directory cannot be made"), 1,
                         result.err)

    def test_files_may_not_grow(self):
        """Beyond ulimit -f, as on a full disk: in words, and the solve goes on."""
        self.needs_faults()
        self.configure(order=1500, interval=HOUR)  # 18 MB; MPI needs some megabytes for itself
        result = self.run_program("bash", "-c", f"ulimit -f 12000; exec {BIN / 'spsolve'} c.yaml",
                                  environment={"SPSOLVE_FAULT": at(100, "late")})
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual(report["checkpoint"]["written"], 0)
        self.assertEqual(report["checkpoint"]["failed"], 1)
        self.assertTrue(any("File too large" in note and "there is none yet" in note
                            for note in report["notes"]), report["notes"])
        self.assertEqual(self.kept(), [])

    def test_a_full_disk_keeps_the_older_one(self):
        self.needs_faults()
        self.configure(interval=HOUR)
        # Room for one of 1 MB, and not for the second.
        full = "mkdir -p kept && mount -t tmpfs -o size=1500k none kept && "
        if self.run_program("unshare", "-m", "bash", "-c", full + "true").code != 0:
            self.skipTest("this needs: unshare -m and mount")
        result = self.run_program(
            "unshare", "-m", "bash", "-c", full + f"{BIN / 'spsolve'} c.yaml "
            "; code=$?; ls -A kept | sed 's,^,left: ,'; exit $code",
            environment={"SPSOLVE_FAULT": at(100, "late", "late")})
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual(report["checkpoint"]["written"], 1, report["notes"])
        self.assertTrue(any("No space left on device" in note and
                            re.search(r"the one of step \d+ stays", note)
                            for note in report["notes"]), report["notes"])
        self.assertNotIn("left: ", result.text)


class Kills(Checkpoint):
    def test_a_kill_loses_what_came_after_the_last_checkpoint(self):
        self.configure()
        solution = self.undisturbed()
        killed = self.failing(at(100, "save", "kill"))
        self.assertEqual(killed.code, 128 + signal.SIGKILL, killed.text)
        self.write("kept/.stale", "not ours")
        temporary = self.kept()[-1].name
        self.write(f"kept/.{temporary}.1-1.tmp", "half a checkpoint")
        result = self.spsolve("c.yaml")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(self.report()["checkpoint"]["resumed_step"], 100)
        self.assertEqual(self.solution(), solution)
        self.assertEqual([path.name for path in self.kept()], [".stale"])

    def test_a_kill_while_it_is_written(self):
        self.configure()
        solution = self.undisturbed(2)
        self.stopped(100, 2)
        # The first checkpoint of the next run ends it, on rank 1 only, behind a few pieces.
        killed = self.failing(at(100, "save") + ",rank=1:phase=checkpoint:step=2:kill", ranks=2)
        self.assertEqual(killed.code, 128 + signal.SIGKILL, killed.text)
        report = self.check_goes_on(solution, 2)
        self.assertEqual(report["checkpoint"]["resumed_step"], 100)


class Iterations(Checkpoint):
    """Krylov methods, whose steps tests/mpi/kept_iteration_test.cpp compares one by one."""

    STEP = 40

    def configure(self, method="cg", preconditioner="none", interval=0):
        self.write("c.yaml", SYSTEM.format(order=ORDER, method=method, interval=interval)
                   .replace(f"random_dense:{ORDER}:seed=3", "grid2d:35")
                   .replace("block: 32", f"preconditioner: {preconditioner}"))

    def iterates(self, ranks=1):
        """The solution and the steps of a run without a break."""
        return self.undisturbed(ranks), self.report()["krylov"]["steps"]

    def test_a_kill_loses_what_came_after_the_last_checkpoint(self):
        # gmres looks for a signal behind a cycle of 30 steps.
        for method, ranks, kept in (("cg", 1, self.STEP), ("cg", 2, self.STEP),
                                    ("minres", 1, self.STEP), ("bicgstab", 1, self.STEP),
                                    ("idr", 1, self.STEP), ("block_cg", 2, self.STEP),
                                    ("gmres", 1, 60), ("gmres", 2, 60)):
            with self.subTest(method=method, ranks=ranks):
                self.configure(method)
                solution, steps = self.iterates(ranks)
                killed = self.failing(f"{at(self.STEP, 'save')},{at(kept + 5, 'kill')}", ranks=ranks)
                self.assertEqual(killed.code, 128 + signal.SIGKILL, killed.text)
                self.assertIn(f"checkpoint of step {kept}:", killed.text)
                report = self.check_goes_on(solution, ranks)
                self.assertEqual(report["checkpoint"]["resumed_step"], kept)
                self.assertEqual(report["krylov"]["steps"], steps)
                self.assertEqual(len(report["krylov"]["history"]), steps + 1)

    def test_a_kill_while_it_is_written(self):
        self.configure()
        solution, _ = self.iterates(2)
        self.stopped(self.STEP, 2)
        killed = self.failing(at(10, "save") + ",rank=1:phase=checkpoint:step=2:kill", ranks=2)
        self.assertEqual(killed.code, 128 + signal.SIGKILL, killed.text)
        report = self.check_goes_on(solution, 2)
        self.assertEqual(report["checkpoint"]["resumed_step"], self.STEP)

    def test_signals(self):
        self.configure()
        solution, _ = self.iterates()
        for how in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR2):
            with self.subTest(how=how.name):
                code, text = self.signalled(how)
                self.assertEqual(code, INTERRUPTED, text)
                self.assertIn("stopped by a signal, as asked, at step 100; the same command goes on",
                              text)
                self.assertEqual(self.report()["status"], "stopped")
                report = self.check_goes_on(solution)
                self.assertEqual(report["checkpoint"]["resumed_step"], 100)

    def test_a_limit_of_time_again_and_again(self):
        self.needs_faults()
        self.configure("bicgstab")
        solution, steps = self.iterates()
        stops = []
        while True:
            result = self.failing(at(30, "late"), "--set", f"checkpoint.time_limit={HOUR}")
            if result.code == SOLVED:
                break
            self.assertEqual(result.code, INTERRUPTED, result.text)
            found = re.search(r"stopped before checkpoint.time_limit at step (\d+);", result.err)
            self.assertTrue(found, result.err)
            stops.append(int(found[1]))
            self.assertLess(len(stops), steps)
        self.assertEqual(stops, list(range(30, steps, 30)))
        self.assertEqual(self.solution(), solution)
        self.assertEqual(self.kept(), [])

    def test_an_interval(self):
        self.configure(interval=HOUR)
        result = self.failing(at(self.STEP, "late", "late"), ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual(report["checkpoint"]["written"], 2)
        self.assertGreater(report["checkpoint"]["bytes"], 2 * 4 * 2 * 8 * 35**2)
        self.assertGreater(report["seconds"]["checkpoint"]["max"], 0)
        self.assertRegex(result.out, r"checkpoints +2 written")

    def test_other_ranks_and_preconditioners(self):
        for preconditioner, same in (("none", True), ("ic0", False)):
            self.configure(preconditioner=preconditioner)
            _, steps = self.iterates()
            with self.subTest(preconditioner):
                stop = steps // 2
                self.stopped(stop, 2)
                report = self.check_goes_on(None, 3, same=False)
                self.assertEqual(report["checkpoint"]["resumed_step"], stop)
                notes = [note for note in report["notes"] if "new recurrences begin with" in note]
                self.assertEqual(len(notes), 0 if same else 1, report["notes"])
                if not same:
                    self.assertIn("ic0 on hosts, 2 ranks, where this run has ic0 on hosts, 3 ranks",
                                  notes[0])
        self.stopped(stop)
        result = self.spsolve("c.yaml", "--set", "solve.preconditioner=jacobi")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("of the preconditioner ic0 on hosts, 1 rank, where this run has jacobi on hosts",
                      result.err)

    def test_what_does_not_fit_is_named(self):
        self.configure()
        self.stopped(self.STEP)
        for settings, words in (
                (("right_hand_side.columns=3",), "belongs to other right-hand sides"),
                (("solve.method=minres",), "belongs to solve.method=cg, not minres"),
                (("matrix.generate=grid2d:34",), "belongs to a matrix of order 1225, not 1156")):
            with self.subTest(words):
                words_of = [word for setting in settings for word in ("--set", setting)]
                result = self.spsolve("c.yaml", *words_of, "--set", "checkpoint.resume=require")
                self.assertEqual(result.code, INPUT, result.text)
                self.assertIn(words, result.err)
                self.assertEqual(len(self.kept()), 1)
        self.check_goes_on(None, same=False)

    def test_auto_eliminates_where_checkpoints_are_wanted(self):
        self.configure()
        result = self.spsolve("c.yaml", "--set", "solve.method=auto")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(self.report()["method"], "lu")

    def test_a_dry_run_and_a_check_know_of_them(self):
        self.configure()
        for words in ("--dry-run", "--check"):
            result = self.spsolve("c.yaml", words)
            self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(self.kept(), [])

    def test_a_folder_without_room(self):
        self.needs_faults()
        self.configure(interval=HOUR)
        result = self.run_program("bash", "-c", f"ulimit -f 20; exec {BIN / 'spsolve'} c.yaml "
                                  "--set output.solution=",
                                  environment={"SPSOLVE_FAULT": at(self.STEP, "late")})
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual((report["checkpoint"]["written"], report["checkpoint"]["failed"]), (0, 1))
        self.assertTrue(any("no checkpoint at step 40: " in note and "there is none yet" in note
                            for note in report["notes"]), report["notes"])


if __name__ == "__main__":
    unittest.main()
