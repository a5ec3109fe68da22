"""Our end of the supervisor: starts it, speaks to it, lets it go. What it is for is told in `supervisor`."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from recon_action.errors import ProgramError
from recon_action.lab import supervisor

_END_LIMIT = 10.0


class Supervised:
    """A running supervisor. Whoever holds it holds the lab: when this process ends, the lab ends."""

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        # Not our stderr: whoever reads that to its end would wait for a detached lab.
        with (folder / "supervisor.log").open("wb") as log:
            self._process = subprocess.Popen(
                # -I: by its file, whatever the parent's sys.path is, and without the user's site.
                [sys.executable, "-I", str(Path(supervisor.__file__)), str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd="/",
                start_new_session=True,  # a terminal's Ctrl-C is for the command that uses the lab
            )
        self.pids: dict[str, int] = {"supervisor": self._process.pid}

    def run(self, name: str, argv: Sequence[str | os.PathLike[str]], log: Path) -> None:
        """Start the component `name`; its output is appended to `log`."""
        command = [os.fspath(word) for word in argv]
        answer = self._ask({"do": "run", "name": name, "argv": command, "log": str(log)})
        if "error" in answer:
            raise ProgramError(f"{name} can't be started: {answer['error']}")
        self.pids[name] = answer["pid"]

    def stop(self, name: str, grace: float) -> None:
        """SIGTERM, and SIGKILL after `grace` seconds."""
        self._ask({"do": "stop", "name": name, "grace": grace})
        self.pids.pop(name)

    def exited(self) -> dict[str, int]:
        """The exit codes of the components that ended by themselves."""
        return dict(self._ask({"do": "poll"})["exited"])

    def guard(self, pid: int, *, group: bool) -> None:
        """Let the process `pid`, or the process group that it leads, end with the lab; 0 forgets it."""
        self._ask({"do": "guard", "pid": pid, "group": group})

    def detach(self) -> None:
        """Let the lab stay when this process ends, until the supervisor gets SIGTERM."""
        self._ask({"do": "detach"})
        self._close()

    def end(self) -> None:
        """End the lab; nothing of it is left when this returns."""
        self._close()
        try:
            self._process.wait(_END_LIMIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ask(self, command: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            reader, writer = self._process.stdout, self._process.stdin
            if reader is None or writer is None:
                raise TypeError("started without pipes")
            try:
                writer.write(json.dumps(command).encode() + b"\n")
                writer.flush()
                answer = reader.readline()
            except (BrokenPipeError, ValueError):
                answer = b""
            if not answer:
                raise ProgramError("the lab's supervisor is gone", hint="something killed it; start again")
            return dict(json.loads(answer))

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(BrokenPipeError):  # a command that the supervisor died of
                    pipe.close()
