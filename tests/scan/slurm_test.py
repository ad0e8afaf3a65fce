#!/usr/bin/env python3
"""Tests ci/slurm on a cluster of three nodes on this machine, one of which dies in the middle: the
manifest equals that of a whole scan. Skipped if Slurm or munge is not installed (Debian's slurm-wlm
and munge, ci/setup --slurm), or without root."""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

from scanning import Skip, Tree, expect, main, registering

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("slurmctld", "slurmd", "munged", "mungekey", "sbatch", "squeue", "scontrol", "sinfo")
NODES = ("n1", "n2", "n3")
CONFIGURATION = """
ClusterName=opledger
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
AuthType=auth/munge
CredType=cred/munge
# How long a task of a dead node waits follows from how long its credential holds.
AuthInfo=socket={folder}/munge.socket,cred_expire=5
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=1,sched_interval=2
SlurmdTimeout=6
KillWait=1
JobRequeue=1
ReturnToService=1
MailProg=/bin/true
{nodes}
PartitionName=all Nodes=n[1-3] Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    """Ends every process it started, and no others."""

    def __init__(self, folder):
        self.folder = folder
        self.path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
        missing = [name for name in PROGRAMS if shutil.which(name, path=self.path) is None]
        if missing:
            raise Skip(f"{', '.join(missing)} missing (ci/setup --slurm)")
        if os.geteuid() != 0:
            raise Skip("a cluster on one machine needs root")
        folder.mkdir()
        ports = free_ports(1 + len(NODES))
        host = socket.gethostname().split(".")[0]
        nodes = "\n".join(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1"
                          for node, port in zip(NODES, ports[1:]))
        (folder / "slurm.conf").write_text(
            CONFIGURATION.format(host=host, ports=ports, folder=folder, nodes=nodes))
        self.environment = {**os.environ, "PATH": self.path, "SLURM_CONF": str(folder / "slurm.conf")}
        self.started = {}

    def __enter__(self):
        for name in ("state", *(f"spool-{node}" for node in NODES)):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        self.run("mungekey", "--create", "--keyfile", key)
        try:
            self.start("munged", "--foreground", "--force", f"--key-file={key}",
                       f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munge.pid",
                       f"--log-file={self.folder}/munge.log", f"--seed-file={self.folder}/munge.seed")
            self.wait_for(lambda: (self.folder / "munge.socket").exists(), 300, "munged")
            self.start("slurmctld", "-D")
            for node in NODES:
                self.start("slurmd", "-D", "-N", node, name=node)
            self.wait_for(lambda: self.run("sinfo", "-h", "-o", "%D", "-t", "idle", check=False)
                          .strip() == "3", 300, "nodes")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for node in NODES:
            self.kill(node)
        for process in self.started.values():
            process.kill()
            process.wait()

    def start(self, program, *arguments, name=None):
        with open(self.folder / f"{name or program}.out", "wb") as log:
            self.started[name or program] = subprocess.Popen(
                [shutil.which(program, path=self.path), *arguments], env=self.environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def run(self, *command, check=True, **options):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True,
                              check=False, **options)
        expect(done.returncode == 0 or not check, command, done.stdout, done.stderr)
        return done.stdout

    def wait_for(self, condition, seconds, what):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                logs = "\n".join(f"{path.name}: {path.read_text(errors='replace')[-1500:]}"
                                 for path in sorted(self.folder.glob("*.log")))
                raise AssertionError(f"{what} not ready after {seconds} s\n{self.run('squeue')}\n{logs}")
            time.sleep(0.2)

    def steps_of(self, node):
        """Returns the daemons of the node's jobs, and the jobs' own processes."""
        daemons, jobs = set(), set()
        for entry in pathlib.Path("/proc").iterdir():
            try:
                environment = (entry / "environ").read_bytes().split(b"\0")
                if (f"SLURMD_NODENAME={node}".encode() in environment and
                        f"SLURM_CONF={self.folder}/slurm.conf".encode() in environment):
                    jobs.add(int(entry.name))
                    parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                    if b"slurmstepd" in pathlib.Path(f"/proc/{parent}/cmdline").read_bytes():
                        daemons.add(parent)
            except (OSError, ValueError):
                pass
        return daemons, jobs - daemons

    def kill(self, node):
        """Kills the node as if its power failed; returns how many processes of its jobs were
        killed. The daemons are killed first; otherwise one of them would report that its task was
        killed, which is the task's failure and not the node's."""
        if node not in self.started:
            return 0
        daemons, jobs = self.steps_of(node)
        self.started[node].kill()
        self.started[node].wait()
        for pid in [*daemons, *jobs]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return len(daemons) + len(jobs)


def test_a_node_dies(bin_folder, folder):
    cluster = Cluster(folder / "cluster")
    tree = Tree(folder / "tree", registering(60))
    plain = tree.scan(bin_folder / "opledger-scan", "--no-cache")
    # Reports each start; a scan on n2 does not end, so that the node can die in the middle.
    slow = folder / "slow-opledger"
    slow.write_text(f'#!/bin/sh\necho "$SLURMD_NODENAME $*" >>{folder}/started\n'
                    f'[ "$SLURMD_NODENAME $1" = "n2 scan" ] && sleep 3600\nexec {bin_folder}/opledger "$@"\n')
    slow.chmod(0o755)
    started = folder / "started"
    with cluster:
        cluster.environment.update(OPLEDGER=str(slow), OPLEDGER_CACHE_DIR=str(folder / "cache"))
        submit = [ROOT / "ci/slurm", "-n", "8", "-w", folder / "work", "-o", folder / "merged.json",
                  "--", "--config", "none", "--dialect", "./dialect.json"]
        merge = cluster.run(*submit, cwd=tree.folder).strip()
        cluster.wait_for(lambda: started.exists() and "n2 scan" in started.read_text(), 300, "a task on n2")
        expect(cluster.kill("n2") >= 2, "nothing ran on n2")

        def state():
            text = cluster.run("scontrol", "show", "job", merge, check=False)
            return next((word[9:] for word in text.split() if word.startswith("JobState=")), "")

        cluster.wait_for(lambda: state() not in ("PENDING", "RUNNING", "CONFIGURING", ""), 600, "the merge")
        said = (folder / "work/merge.log").read_text() if (folder / "work/merge.log").exists() else ""
        expect(state() == "COMPLETED", state(), said)
        expect((folder / "merged.json").read_text() == plain.text, "not the manifest of a whole scan")
        tasks = [line.split("--shard ")[1].split()[0] for line in started.read_text().splitlines()
                 if " scan " in line]
        expect(len(tasks) > 8 and len(set(tasks)) == 8, "no task was queued again:", tasks)
        # Resumed: only the missing shard is scanned again.
        (folder / "work/shard-5.facts").unlink()
        (folder / "merged.json").unlink()
        merge = cluster.run(*submit, cwd=tree.folder).strip()
        cluster.wait_for(lambda: state() not in ("PENDING", "RUNNING", "CONFIGURING", ""), 600, "the merge")
        again = [line for line in started.read_text().splitlines() if " scan " in line][len(tasks):]
        expect(again and all("--shard 5/8" in line for line in again), again)
        expect((folder / "merged.json").read_text() == plain.text)


if __name__ == "__main__":
    sys.exit(main(globals()))
