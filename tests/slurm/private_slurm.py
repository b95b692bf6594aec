"""A SLURM of two virtual nodes on this host, for as long as a test needs it.

Everything - keys, sockets, spool, logs - lies in one folder, and every process that was started is
ended by its id. Needs Debian's slurm-wlm and munge, and root.
"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

NODES = ("n1", "n2")
GPUS = 4  # of each node, in name only: files that SLURM counts

CONFIGURATION = """
ClusterName=spsolve
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
CommunicationParameters=NoInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
TmpFS={folder}/tmp/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=pmix
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=5
SchedulerParameters=bf_interval=1,sched_interval=2
GresTypes=gpu
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class CannotStart(Exception):
    """Why there is no private SLURM here."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def has_namespaces():
    """Whether each node may have a host name and a /dev/shm of its own."""
    return subprocess.run(
        ["unshare", "--uts", "--mount", "--propagation", "private", "sh", "-c",
         "mount -t tmpfs tmpfs /dev/shm"], capture_output=True, check=False).returncode == 0


class PrivateSlurm:
    """Starts when made, ends by stop(). Throws CannotStart with the reason."""

    def __init__(self):
        self.processes = []
        self.require()
        # Short: the path of a socket holds 108 characters.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
        self.folder.chmod(0o755)  # munged refuses folders that others can write to
        self.namespaces = has_namespaces()
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))
        for name in [name for name in self.environment if name.startswith("SLURM_")]:
            if name != "SLURM_CONF":
                del self.environment[name]
        if not self.namespaces:
            # Two ranks of one host name and different nodes would meet in shared memory.
            self.environment.update(OMPI_MCA_btl="self,tcp", OMPI_MCA_btl_tcp_if_include="lo")
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    @staticmethod
    def require():
        if os.geteuid() != 0:
            raise CannotStart("a private SLURM needs root")
        path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
        for program in ("munged", "slurmctld", "slurmd", "sbatch", "unshare"):
            if shutil.which(program, path=path) is None:
                raise CannotStart(f"{program} is not installed (Debian: slurm-wlm, munge)")

    def start(self):
        for name in ("munge", "log", "state", "dev", *(f"{part}/{node}" for part in ("spool", "tmp")
                                                       for node in NODES)):
            (self.folder / name).mkdir(parents=True)
        self.write_files()
        munge = self.folder / "munge"
        self.launch("munged", "munged", "--foreground", f"--key-file={munge}/key",
                    f"--socket={munge}/socket", f"--pid-file={munge}/pid",
                    f"--seed-file={munge}/seed", f"--log-file={munge}/log")
        self.wait_until("munged", lambda: (munge / "socket").exists(), 20)
        self.launch("slurmctld", "slurmctld", "-D", "-c")
        for node in NODES:
            if self.namespaces:
                self.launch(node, "unshare", "--uts", "--mount", "--propagation", "private", "sh",
                            "-c", f"hostname {node} && mount --bind {self.folder}/hosts /etc/hosts "
                            f"&& mount -t tmpfs tmpfs /dev/shm && exec slurmd -D -N {node}")
            else:
                self.launch(node, "slurmd", "-D", "-N", node)
        self.wait_until("the nodes", lambda: self.idle_nodes() == len(NODES), 60)

    def write_files(self):
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        hosts = pathlib.Path("/etc/hosts").read_text(encoding="utf-8")
        (self.folder / "hosts").write_text(f"{hosts}\n127.0.0.1 {' '.join(NODES)}\n",
                                           encoding="utf-8")
        for gpu in range(GPUS):
            (self.folder / "dev" / f"gpu{gpu}").symlink_to("/dev/null")
        host = "" if self.namespaces else " NodeHostname=localhost"
        nodes = "\n".join(
            f"NodeName={node} NodeAddr=127.0.0.1{host} Port={free_port()} CPUs=64 RealMemory=65536 "
            f"Gres=gpu:{GPUS}" for node in NODES)
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(folder=self.folder, controller=free_port(), nodes=nodes),
            encoding="utf-8")
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n", encoding="utf-8")
        (self.folder / "gres.conf").write_text(
            f"Name=gpu File={self.folder}/dev/gpu[0-{GPUS - 1}]\n", encoding="utf-8")

    def launch(self, name, *command):
        environment = dict(self.environment,
                           PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        with open(self.folder / "log" / f"{name}.out", "wb") as log:
            process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=subprocess.STDOUT,
                                       start_new_session=True)
        self.processes.append((name, process))

    def wait_until(self, what, holds, seconds):
        """Waits for `holds()`; the reason is the end of the logs."""
        end = time.monotonic() + seconds
        while not holds():
            dead = [name for name, process in self.processes if process.poll() is not None]
            if dead or time.monotonic() > end:
                logs = "\n".join(
                    f"{path.name}: {path.read_text(errors='replace')[-600:]}"
                    for path in sorted((self.folder / "log").iterdir()))
                reason = f"{dead[0]} ended" if dead else f"{what} not ready in {seconds} s"
                raise CannotStart(f"{reason}\n{logs}")
            time.sleep(0.1)

    def command(self, *words, timeout=60):
        return subprocess.run([str(word) for word in words], env=self.environment, text=True,
                              capture_output=True, timeout=timeout, check=False)

    def idle_nodes(self):
        found = self.command("sinfo", "--noheader", "--Node", "--format=%T")
        return found.stdout.split().count("idle")

    def queue(self):
        return self.command("squeue", "--noheader", "--format=%i %T").stdout.split()

    def stop(self):
        if len(self.processes) > 1:  # there may be jobs
            self.command("scancel", "--user=root")
            end = time.monotonic() + 15
            while self.queue() and time.monotonic() < end:
                time.sleep(0.1)
        for _, process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []
        shutil.rmtree(self.folder, ignore_errors=True)
