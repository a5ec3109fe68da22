"""The lab as its users see it: a real control plane, exact in what it logs, gone without a trace."""

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recon_action.errors import ProgramError
from recon_action.lab import Lab, LabOptions, start
from recon_action.lab.options import VERSIONS

ROOT = Path(__file__).resolve().parents[2]
EXEC = [sys.executable, "-m", "recon_action", "lab", "exec"]
PATIENCE = 20.0


def kubectl(lab: Lab, *args: str, env: dict[str, str] | None = None, code: int = 0) -> str:
    command = [str(lab.kubectl), *args]
    done = subprocess.run(command, env=env or lab.env(), capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def assert_all_gone(processes: Any, pids: Iterable[int], folder: Path) -> None:
    until(lambda: not processes.living(pids), f"of {pids} some live on")
    until(lambda: not folder.exists(), f"{folder} is still there")


# What it is


def test_an_object_is_stored_and_read_back(lab: Lab, namespace: str) -> None:
    """What is applied to the lab is there, in the version that was asked for."""
    kubectl(lab, "-n", namespace, "create", "configmap", "settings", "--from-literal=colour=blue")
    assert kubectl(lab, "-n", namespace, "get", "cm", "settings", "-o", "jsonpath={.data.colour}") == "blue"
    assert json.loads(kubectl(lab, "version", "-o", "json"))["serverVersion"]["gitVersion"].startswith("v1.37.")


def test_the_namespaces_of_every_cluster_are_there(lab: Lab) -> None:
    """A test need not wait for them."""
    names = kubectl(lab, "get", "namespaces", "-o", "name").split()
    assert {"namespace/default", "namespace/kube-system"} <= set(names)


def test_the_certificate_is_the_labs_own(lab: Lab) -> None:
    """Without the lab's CA the server isn't trusted, and the kubeconfig doesn't say that it should be anyway."""
    assert "insecure" not in lab.kubeconfig.read_text()
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        urllib.request.urlopen(f"{lab.server}/version", timeout=5, context=ssl.create_default_context())


def test_nobody_else_reads_its_files(lab: Lab) -> None:
    """The administrator's key lies in it."""
    assert lab.folder.stat().st_mode & 0o077 == 0
    assert lab.kubeconfig.stat().st_mode & 0o077 == 0


def test_the_audit_log_holds_each_request_once(lab: Lab, namespace: str) -> None:
    """Two requests of a user are two events; the server's own are none."""
    before = len(lab.audit())
    kubectl(lab, "get", "--raw", f"/api/v1/namespaces/{namespace}/configmaps")
    kubectl(lab, "get", "--raw", f"/api/v1/namespaces/{namespace}/secrets/absent", code=1)
    seen = [(event.verb, event.resource, event.name, event.code) for event in lab.audit()[before:]]
    assert seen == [("list", "configmaps", "", 200), ("get", "secrets", "absent", 404)]


def test_the_audit_log_leaves_out_controllers(controllers_lab: Lab, controllers_namespace: str) -> None:
    """A Deployment makes many requests of controllers; the log holds the user's alone."""
    before = len(controllers_lab.audit())
    at = ["-n", controllers_namespace]
    kubectl(controllers_lab, *at, "create", "deployment", "web", "--image=nginx")
    kubectl(controllers_lab, *at, "wait", "deployment/web", "--for=condition=Available", "--timeout=30s")
    assert {event.user for event in controllers_lab.audit()[before:]} == {"recon-lab-admin"}


def test_kubectl_leaves_nothing_at_home(lab: Lab, tmp_path: Path) -> None:
    """Its cache lies in the lab's folder: a later lab on the same port must not see this one's kinds."""
    kubectl(lab, "get", "namespaces", env=lab.env() | {"HOME": str(tmp_path)})
    assert list(tmp_path.iterdir()) == []


def test_other_users_may_do_what_rbac_grants(lab: Lab, namespace: str) -> None:
    """A user of nothing is forbidden; one bound to a Role reads and doesn't write."""
    kubectl(lab, "-n", namespace, "create", "role", "reader", "--verb=get,list", "--resource=configmaps")
    kubectl(lab, "-n", namespace, "create", "rolebinding", "devs", "--role=reader", "--group=devs")

    def as_user(file: Path, *args: str, code: int = 0) -> str:
        return kubectl(lab, "-n", namespace, *args, env=lab.env() | {"KUBECONFIG": str(file)}, code=code)

    nobody, dev = lab.kubeconfig_for("eve"), lab.kubeconfig_for("dan", ["devs"], namespace=namespace)
    assert '"eve" cannot list resource' in as_user(nobody, "get", "configmaps", code=1)
    as_user(dev, "get", "configmaps")
    assert "cannot create resource" in as_user(dev, "create", "configmap", "a", code=1)


def test_refused_credentials_are_refused(lab: Lab) -> None:
    """An expired certificate and an unknown token get 401."""
    for file in (lab.kubeconfig_for("old", expired=True), lab.kubeconfig_with_token("unknown")):
        env = lab.env() | {"KUBECONFIG": str(file)}
        assert "logged in" in kubectl(lab, "get", "namespaces", env=env, code=1)


def test_a_service_accounts_token_works(lab: Lab, namespace: str) -> None:
    """The server signs tokens; they say who their bearer is."""
    kubectl(lab, "-n", namespace, "create", "serviceaccount", "robot")
    token = kubectl(lab, "-n", namespace, "create", "token", "robot").strip()
    env = lab.env() | {"KUBECONFIG": str(lab.kubeconfig_with_token(token))}
    assert f"system:serviceaccount:{namespace}:robot" in kubectl(lab, "auth", "whoami", env=env)


# Controllers


def test_deployments_get_ready_pods_and_scale(controllers_lab: Lab, controllers_namespace: str) -> None:
    """The whole path: controller, scheduler, simulated kubelet."""
    at = ["-n", controllers_namespace]
    kubectl(controllers_lab, *at, "create", "deployment", "web", "--image=nginx", "--replicas=3")
    kubectl(controllers_lab, *at, "rollout", "status", "deployment/web", "--timeout=30s")
    kubectl(controllers_lab, *at, "scale", "deployment/web", "--replicas=5")
    kubectl(controllers_lab, *at, "rollout", "status", "deployment/web", "--timeout=30s")
    phases = kubectl(controllers_lab, *at, "get", "pods", "-o", "jsonpath={.items[*].status.phase}")
    assert phases.split() == ["Running"] * 5


def test_jobs_complete(controllers_lab: Lab, controllers_namespace: str) -> None:
    """A Job's pod runs and succeeds."""
    at = ["-n", controllers_namespace]
    kubectl(controllers_lab, *at, "create", "job", "once", "--image=busybox")
    kubectl(controllers_lab, *at, "wait", "job/once", "--for=condition=Complete", "--timeout=30s")


def test_owned_objects_are_collected_and_namespaces_end(controllers_lab: Lab, controllers_namespace: str) -> None:
    """Deleting a Deployment deletes its pods; deleting a namespace ends it."""
    at = ["-n", controllers_namespace]
    kubectl(controllers_lab, *at, "create", "deployment", "web", "--image=nginx")
    kubectl(controllers_lab, *at, "rollout", "status", "deployment/web", "--timeout=30s")
    kubectl(controllers_lab, *at, "delete", "deployment", "web")
    until(lambda: not kubectl(controllers_lab, *at, "get", "pods", "-o", "name"), "the pod is still there")
    kubectl(controllers_lab, "delete", "namespace", controllers_namespace, "--timeout=30s")
    assert "NotFound" in kubectl(controllers_lab, "get", "namespace", controllers_namespace, code=1)


def test_several_nodes_are_ready(own_lab: Callable[..., Lab]) -> None:
    """As many as were asked for, and none of them tainted."""
    lab = own_lab(controllers=True, nodes=3)
    taints = kubectl(lab, "get", "nodes", "-o", "jsonpath={.items[*].spec.taints}")
    assert len(kubectl(lab, "get", "nodes", "-o", "name").split()) == 3
    assert taints.strip() == ""


# Versions


@pytest.mark.parametrize("version", VERSIONS)
def test_older_versions_are_emulated(own_lab: Callable[..., Lab], version: str) -> None:
    """The server behaves as the version asked for, and says so."""
    lab = own_lab(kubernetes=version)
    server = json.loads(kubectl(lab, "version", "-o", "json"))["serverVersion"]
    assert server.get("emulationMinor", server["minor"]) == version.split(".")[1]
    assert lab.kubernetes == version


def test_controllers_emulate_too(own_lab: Callable[..., Lab]) -> None:
    """The oldest version with everything on gets ready."""
    lab = own_lab(kubernetes=VERSIONS[0], controllers=True)
    kubectl(lab, "create", "deployment", "web", "--image=nginx")
    kubectl(lab, "rollout", "status", "deployment/web", "--timeout=30s")


# Restart


def test_the_server_alone_restarts_with_port_and_data(own_lab: Callable[..., Lab]) -> None:
    """Who talks to it sees an outage, and then the same cluster."""
    lab = own_lab()
    kubectl(lab, "create", "configmap", "kept")
    url = lab.server
    lab.stop_server(grace=0)
    assert "refused" in kubectl(lab, "get", "configmaps", code=1)
    lab.start_server("--max-requests-inflight=50")
    assert lab.server == url
    assert "kept" in kubectl(lab, "get", "configmaps")


def test_the_server_stops_in_order_too(own_lab: Callable[..., Lab], processes: Any) -> None:
    """SIGTERM, for whoever needs a server that says goodbye."""
    lab = own_lab()
    pid = lab.pids["kube-apiserver"]
    lab.stop_server()
    assert "kube-apiserver" not in lab.pids
    assert processes.living([pid]) == []


# Failure to start


def test_a_bad_flag_shows_what_the_server_says(binaries: Any, tmp_path: Path) -> None:
    """The failing component, its exit code, its last words; and nothing is left of the start."""
    folder = tmp_path / "lab"
    options = LabOptions(apiserver_flags=("--no-such-flag=1",), folder=folder)
    with pytest.raises(ProgramError, match="kube-apiserver ended with exit code 1") as caught, start(options):
        pass
    assert "unknown flag: --no-such-flag" in caught.value.message
    assert not folder.exists()


def test_a_busy_port_is_said(binaries: Any, tmp_path: Path) -> None:
    """A port that was asked for is not replaced by another one."""
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        options = LabOptions(port=busy.getsockname()[1], folder=tmp_path / "lab")
        with pytest.raises(ProgramError, match="address already in use") as caught, start(options):
            pass
    assert "port" in caught.value.hint
    assert not (tmp_path / "lab").exists()


def test_two_labs_stand_side_by_side(own_lab: Callable[..., Lab]) -> None:
    """Each has its port, its folder and its objects."""
    first, second = own_lab(), own_lab()
    kubectl(first, "create", "configmap", "mine")
    assert "mine" not in kubectl(second, "get", "configmaps", "-o", "name")
    assert first.folder != second.folder


# The end


def test_the_context_leaves_nothing(binaries: Any, processes: Any) -> None:
    """After the block: no process, no folder."""
    with start() as lab:
        pids, folder = lab.pids, lab.folder
        assert set(pids) == {"supervisor", "etcd", "kube-apiserver"}
        assert sorted(processes.living(pids.values())) == sorted(pids.values())
    assert processes.living(pids.values()) == []
    assert not folder.exists()


def test_a_killed_user_leaves_nothing(binaries: Any, processes: Any) -> None:
    """SIGKILL leaves no time to clean up; the lab is gone all the same."""
    script = (
        "import json, time; from recon_action.lab import LabOptions, start\n"
        "with start(LabOptions(controllers=True)) as lab:\n"
        "    print(json.dumps([str(lab.folder), lab.pids]), flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as user:
        assert user.stdout
        folder, pids = json.loads(user.stdout.readline())
        assert len(pids) == 6
        assert len(processes.living(pids.values())) == 6
        user.kill()
    assert_all_gone(processes, pids.values(), Path(folder))


def test_a_killed_supervisor_takes_its_components_along(own_lab: Callable[..., Lab], processes: Any) -> None:
    """Even the process that guards may be killed (out of memory); where Linux helps, nothing runs on."""
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux ends a process with its parent")
    lab = own_lab()
    os.kill(lab.pids["supervisor"], signal.SIGKILL)
    until(lambda: not processes.living(lab.pids.values()), "a component survived")
    with pytest.raises(ProgramError, match="supervisor is gone"):
        lab.check()
    lab.end()
    assert not lab.folder.exists()


# The command line


def run_exec(*command: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*EXEC, *options, "--", *command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )


def test_exec_gives_the_command_what_it_needs_and_its_exit_code(binaries: Any) -> None:
    """KUBECONFIG works, kubectl is the lab's, the audit log lies beside; stdout is the command's alone."""
    script = (
        "kubectl get namespace default -o name && command -v kubectl && echo $KUBECONFIG && "
        "wc -l < $RECON_LAB_AUDIT_LOG && exit 7"
    )
    done = run_exec("sh", "-c", script)
    assert done.returncode == 7, done.stderr
    name, program, kubeconfig, requests = done.stdout.split()
    folder = Path(kubeconfig).parent
    assert name == "namespace/default"
    assert Path(program).parent.parent == folder
    assert int(requests) > 0
    assert not folder.exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["SIGKILL", "SIGTERM"])
def test_exec_tells_of_a_signal_as_a_shell_does(binaries: Any, number: signal.Signals) -> None:
    """128 + n."""
    assert run_exec("sh", "-c", f"kill -{number.value} $$").returncode == 128 + number.value


def test_exec_passes_stdin_and_options_on(binaries: Any) -> None:
    """What follows CMD is CMD's, even if it looks like an option of ours."""
    command = [*EXEC, "--", "sh", "-c", 'cat; echo "$@"', "sh", "--controllers", "--help"]
    done = subprocess.run(command, cwd=ROOT, input="in ", capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "in --controllers --help\n"


def test_exec_of_nothing_is_refused_before_anything_starts() -> None:
    """A typing error costs no control plane."""
    done = run_exec("no-such-command")
    assert done.returncode == 2
    assert "there is no command no-such-command" in done.stderr
    assert "starting" not in done.stderr


@dataclass(frozen=True)
class Running:
    """A `lab exec` under way."""

    process: subprocess.Popen[str]
    folder: Path
    pids: dict[int, str]


@contextmanager
def running_exec(processes: Any, *wrapper: str, script: str = "") -> Iterator[Running]:
    """A `lab exec` whose command has a child of its own and says where it is."""
    say = f"{script} sleep 600 & echo $KUBECONFIG; wait"
    command = [*wrapper, *EXEC, "--", "sh", "-c", say]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            folder = Path(process.stdout.readline().strip()).parent
            assert (folder / "kubeconfig").exists()
            end = time.monotonic() + PATIENCE
            pids: dict[int, str] = {}
            while not {"etcd", "sleep"} <= {name.strip() for name in pids.values()}:  # a child begins as a copy of sh
                assert time.monotonic() < end, pids
                pids = processes.tree(process.pid) | processes.tree(int((folder / "supervisor.pid").read_text()))
            yield Running(process, folder, pids)
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["INT", "TERM", "HUP"])
def test_exec_forwards_a_signal_and_tears_down(binaries: Any, number: signal.Signals, processes: Any) -> None:
    """The command ends by the signal, its children too, and the control plane with them."""
    with running_exec(processes, script="trap 'exit 9' INT TERM HUP;") as running:
        running.process.send_signal(number)
        assert running.process.wait(PATIENCE) == 9
    assert_all_gone(processes, running.pids, running.folder)


def test_exec_killed_leaves_nothing(binaries: Any, processes: Any) -> None:
    """Neither the control plane nor the command, nor the command's children."""
    with running_exec(processes) as running:
        running.process.kill()
    assert_all_gone(processes, running.pids, running.folder)


def test_exec_ends_with_whoever_started_it(binaries: Any, processes: Any) -> None:
    """A script is killed: the `lab exec` inside it notices that nobody waits for it any more."""
    with running_exec(processes, "sh", "-c", '"$@"; true', "sh") as running:
        assert list(running.pids.values()).count("sh") >= 1
        running.process.kill()
    assert_all_gone(processes, running.pids, running.folder)


def test_a_lab_stays_up_until_it_is_taken_down(binaries: Any, tmp_path: Path, processes: Any) -> None:
    """`up` prints what a shell evaluates; a second `up` says where it is; `down` leaves nothing."""
    env = dict(os.environ) | {"XDG_STATE_HOME": str(tmp_path)}

    def cli(*args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "recon_action", "lab", *args]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == code, done.stderr
        return done

    shown = cli("up", "--name", "mine").stdout
    folder = tmp_path / "recon-action" / "labs" / "mine"
    pids = processes.tree(int((folder / "supervisor.pid").read_text()))
    assert len(pids) == 3
    use = 'eval "$1"; kubectl get namespace default -o name; command -v kubectl'
    used = subprocess.run(["sh", "-c", use, "sh", shown], capture_output=True, text=True, check=True, timeout=60)
    assert used.stdout.split() == ["namespace/default", str(folder / "bin" / "kubectl")]
    assert str(folder / "kubeconfig") in cli("up", "--name", "mine", code=2).stderr
    assert "was not up (up: mine)" in cli("down").stderr
    assert "is gone" in cli("down", "--name", "mine").stderr
    assert_all_gone(processes, pids, folder)
    assert "was not up" in cli("down", "--name", "mine").stderr


def test_what_a_dead_lab_left_is_no_obstacle(binaries: Any, tmp_path: Path) -> None:
    """After the machine was switched off, the name is free again."""
    env = dict(os.environ) | {"XDG_STATE_HOME": str(tmp_path)}
    folder = tmp_path / "recon-action" / "labs" / "default"
    folder.mkdir(parents=True)
    (folder / "supervisor.pid").write_text(str(os.getpid()))
    for args in (["up"], ["down"]):
        command = [sys.executable, "-m", "recon_action", "lab", *args]
        subprocess.run(command, cwd=ROOT, env=env, capture_output=True, check=True, timeout=120)
    assert not folder.exists()
