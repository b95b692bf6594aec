"""The batch files of slurm/, through sbatch to a checked report, on a private SLURM."""

import json
import os
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from private_slurm import CannotStart, PrivateSlurm  # noqa: E402
from support import BIN, CliTest, INPUT, ROOT, SOLVED  # noqa: E402

# Sizes that suit a small machine; everything else is as the files say.
SMALL = ("--cpus-per-task=1", "--mem=1G", "--time=5")


class Batch(CliTest):
    @classmethod
    def setUpClass(cls):
        if not os.environ.get("SPSOLVE_SLURM"):
            raise unittest.SkipTest("run by ./dev test --slurm and --all (SPSOLVE_SLURM=1)")
        try:
            cls.slurm = PrivateSlurm()
        except CannotStart as reason:
            raise unittest.SkipTest(f"no private SLURM: {reason}") from reason
        cls.addClassCleanup(cls.slurm.stop)

    def setUp(self):
        super().setUp()
        self.environment = self.write("environment.sh",
                                      (ROOT / "slurm" / "environment.sh").read_text())
        self.write("c.yaml", 'matrix: {generate: "grid2d:12"}\n'
                             "output: {solution: x.mtx, report: report.json}\n")

    def submit(self, file, *arguments, options=SMALL, launcher=None, timeout=600,
               watch=None, fault=None):
        """Runs a batch file to its end, over all its times in the queue. Returns (exit code, log);
        `watch(job, log)` sees the log grow."""
        variables = {"SPSOLVE": str(BIN / "spsolve"), "SPSOLVE_ENVIRONMENT": str(self.environment),
                     "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                     "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        if launcher:
            variables["SPSOLVE_LAUNCHER"] = launcher
        if fault:
            variables["SPSOLVE_FAULT"] = fault
        export = ",".join(["ALL", *(f"{name}={value}" for name, value in variables.items())])
        sent = self.slurm.command("sbatch", "--parsable", f"--chdir={self.folder}",
                                  f"--export={export}", *options, ROOT / "slurm" / file, *arguments)
        self.assertEqual(sent.returncode, 0, sent.stderr)
        job = sent.stdout.strip()
        end = time.monotonic() + timeout
        path = self.folder / f"spsolve-{job}.log"
        while True:
            if watch and path.exists():
                watch(job, path.read_text())
            shown = self.slurm.command("scontrol", "--oneliner", "show", "job", job).stdout
            facts = dict(word.split("=", 1) for word in shown.split() if "=" in word)
            if facts.get("JobState") not in ("PENDING", "RUNNING", "CONFIGURING", "COMPLETING",
                                             "REQUEUED"):
                break
            if time.monotonic() > end:
                self.fail(f"{file} did not end in {timeout} s: {shown}")
            time.sleep(0.1)
        return int(facts["ExitCode"].split(":")[0]), path.read_text()

    def check(self, ran, ranks, hosts):
        code, log = ran
        self.assertEqual(code, SOLVED, log)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["status"], "solved")
        self.assertEqual(report["ranks"], ranks, log)
        if self.slurm.namespaces:  # else both nodes bear one name
            self.assertEqual(report["hosts"], hosts, log)
        self.assertLess(report["backward_error"], 1e-14)
        self.assertEqual(log.count("solved: x "), 1, log)
        self.assertTrue((self.folder / "x.mtx").exists())

    def test_cpu_one_node(self):
        self.check(self.submit("cpu_one_node.sbatch", "c.yaml"), 2, 1)

    def test_cpu_several_nodes(self):
        self.check(self.submit("cpu_several_nodes.sbatch", "c.yaml", options=SMALL + (
            "--nodes=2",)), 4, 2)

    def test_cpu_several_nodes_by_mpirun(self):
        self.check(self.submit("cpu_several_nodes.sbatch", "c.yaml", launcher="mpirun",
                               options=SMALL + ("--nodes=2",)), 4, 2)

    def test_gpu_files_get_their_gpus(self):
        """The nodes' GPUs are empty files, so the work is done on the host."""
        for file, ranks, hosts, gpus in (("one_gpu.sbatch", 1, 1, "0"),
                                         ("one_node_gpus.sbatch", 4, 1, "0,1,2,3"),
                                         ("several_nodes_gpus.sbatch", 8, 2, "0,1,2,3")):
            with self.subTest(file):
                ran = self.submit(file, "c.yaml", "--set", "device=host")
                self.check(ran, ranks, hosts)
                self.assertRegex(ran[1], rf"GPUs on (this|the first) node: {gpus}\n")

    def test_threads_are_those_of_the_job(self):
        code, log = self.submit("cpu_one_node.sbatch", "c.yaml",
                                options=("--cpus-per-task=2", "--time=5"))
        self.assertEqual(code, SOLVED, log)
        self.assertEqual(self.report()["threads"], 2)

    def test_a_job_goes_on_after_its_time_limit(self):
        """The signal comes by hand where a cluster sends it near the limit; the queue is SLURM's."""
        self.needs_faults()
        for launcher in (None, "mpirun"):
            with self.subTest(launcher or "srun"):
                self.goes_on(launcher)

    def goes_on(self, launcher):
        self.write("c.yaml", 'matrix: "random_dense:150:seed=3"\nsolve: {method: gauss}\n'
                             "output: {solution: x.mtx, report: report.json}\n"
                             "checkpoint: {directory: kept}\n")
        signalled = []

        def signal_once(job, log):
            if not signalled and log.count("waits for a signal") == 4:
                sent = self.slurm.command("scancel", "--batch", "--signal=USR2", job)
                signalled.append(sent.returncode)

        # All ranks wait after step 100; after it there are not as many left for the second time.
        code, log = self.submit("resume.sbatch", "c.yaml", "-v", launcher=launcher, watch=signal_once,
                                fault="rank=all:phase=eliminate:step=100:await",
                                options=SMALL[:2] + ("--nodes=2", "--time=60"))
        self.assertEqual(signalled, [0], log)
        self.check((code, log), 4, 2)
        self.assertIn("stopped by a signal, as asked,", log)
        self.assertEqual(log.count("into the queue again"), 1, log)
        self.assertEqual(self.report()["checkpoint"]["resumed_step"], 100)
        self.assertEqual(list((self.folder / "kept").iterdir()), [])

    def test_exit_code_is_the_jobs(self):
        code, log = self.submit("cpu_one_node.sbatch", "none.yaml")
        self.assertEqual(code, INPUT, log)
        self.assertIn("none.yaml", log)

    def test_every_file_is_in_the_guide_and_tried_here(self):
        guide = (ROOT / "slurm" / "README.md").read_text()
        tests = pathlib.Path(__file__).read_text()
        files = sorted(file.name for file in (ROOT / "slurm").glob("*.sbatch"))
        self.assertGreater(len(files), 4)
        for file in files:
            self.assertIn(f"`{file}`", guide)
            self.assertIn(f'"{file}"', tests)


if __name__ == "__main__":
    unittest.main()
