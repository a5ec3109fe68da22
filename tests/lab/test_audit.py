"""The audit log, read and understood."""

import json
import threading
from pathlib import Path
from typing import Any

from recon_action.lab.audit import LAB_USER, POLICY, read_audit, settle


def line(**fields: Any) -> str:
    event = {
        "verb": "get",
        "requestURI": "/version",
        "user": {"username": "alice"},
        "responseStatus": {"code": 200},
    }
    return json.dumps(event | fields) + "\n"


def test_an_event_of_an_object(tmp_path: Path) -> None:
    """Everything that tells which request it was."""
    of = {
        "apiGroup": "apps",
        "resource": "deployments",
        "subresource": "scale",
        "namespace": "shop",
        "name": "web",
    }
    (tmp_path / "audit.log").write_text(line(verb="patch", requestURI="/apis/apps/v1/…?force=true", objectRef=of))
    (event,) = read_audit(tmp_path / "audit.log")
    assert (event.verb, event.uri, event.user, event.code) == ("patch", "/apis/apps/v1/…?force=true", "alice", 200)
    assert (event.group, event.resource, event.subresource) == ("apps", "deployments", "scale")
    assert (event.namespace, event.name) == ("shop", "web")
    assert event.raw["objectRef"] == of


def test_an_event_without_object_or_answer(tmp_path: Path) -> None:
    """Discovery has no object; a cut request no code."""
    (tmp_path / "audit.log").write_text(line(responseStatus=None))
    (event,) = read_audit(tmp_path / "audit.log")
    assert (event.group, event.resource, event.namespace, event.name, event.code) == ("", "", "", "", 0)


def test_order_is_kept_and_a_line_under_way_left_out(tmp_path: Path) -> None:
    """The server may be writing while we read."""
    whole = line(verb="list") + line(verb="get")
    (tmp_path / "audit.log").write_text(whole + line()[:20])
    assert [event.verb for event in read_audit(tmp_path / "audit.log")] == ["list", "get"]


def test_no_log_is_no_event(tmp_path: Path) -> None:
    """Nobody has asked anything yet."""
    settle(tmp_path / "audit.log")
    assert read_audit(tmp_path / "audit.log") == []


def test_settling_waits_for_a_growing_log(tmp_path: Path) -> None:
    """Lines that arrive while we look are waited for."""
    log = tmp_path / "audit.log"
    log.write_text(line())
    grow = threading.Timer(0.02, lambda: log.write_text(line() + line()))
    grow.start()
    settle(log)
    grow.join()
    assert len(read_audit(log)) == 2


def test_the_policy_leaves_out_our_own_and_writes_one_line_a_request() -> None:
    """Rules are tried in order: ours first, everything else last, once."""
    assert LAB_USER in POLICY["rules"][0]["users"]
    assert [rule["level"] for rule in POLICY["rules"]] == ["None", "None", "Metadata"]
    assert POLICY["omitStages"] == ["RequestReceived", "ResponseStarted"]
