"""What we would send: Git's words, without what the server owns."""

import base64
import copy
from typing import Any

import pytest
from objects import body_of, manifest_of, resource_of

from recon_action.analyze.payload import labelled, normalised, payload_hash
from recon_action.model import Body, Manifest, Origin, ref_of
from recon_action.model.inventory import PART_OF


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _payload(body: Body, *subresources: str) -> Body:
    resource = resource_of(body["kind"], body["apiVersion"], *subresources)
    before = copy.deepcopy(body)
    payload = normalised(manifest_of(body), resource)
    assert body == before  # the manifest is shared: it must stay as Git says
    return payload


@pytest.mark.parametrize(
    ("secret", "data"),
    [
        pytest.param({"stringData": {"a": "x"}}, {"a": _b64("x")}, id="encoded"),
        pytest.param({"data": {"b": "Yg=="}, "stringData": {"a": "x"}}, {"a": _b64("x"), "b": "Yg=="}, id="merged"),
        pytest.param({"data": {"a": "b2xk"}, "stringData": {"a": "new"}}, {"a": _b64("new")}, id="string-data-wins"),
        pytest.param({"data": {"a": "Yg==\n", "b": "Y\r\ng=="}}, {"a": "Yg==", "b": "Yg=="}, id="line-breaks"),
        pytest.param({"data": None, "stringData": {"a": "ü"}}, {"a": _b64("ü")}, id="null-data"),
        pytest.param({"data": {"a": "not base64!"}}, {"a": "not base64!"}, id="the-server-judges-data"),
    ],
)
def test_string_data_becomes_data(secret: Body, data: Body) -> None:
    """Else our entry would own `stringData`, and a key dropped in Git would stay for ever."""
    payload = _payload(body_of("Secret", **secret))
    assert payload["data"] == data
    assert "stringData" not in payload


@pytest.mark.parametrize(
    "secret",
    [
        pytest.param({"stringData": None}, id="null"),
        pytest.param({"stringData": ["a"]}, id="list"),
        pytest.param({"stringData": {"a": 1}}, id="number"),
        pytest.param({"data": "text", "stringData": {"a": "x"}}, id="data-is-text"),
        pytest.param({"data": ["x"], "stringData": {"a": "x"}}, id="data-is-a-list"),
    ],
)
def test_a_secret_of_the_wrong_shape_is_left_to_the_server(secret: Body) -> None:
    """The server's own words say what is wrong with it."""
    body = body_of("Secret", **secret)
    assert _payload(body) == body


def test_another_groups_secret_is_not_touched() -> None:
    """`stringData` means something in the core group only."""
    body = body_of("Secret", api="vault.example/v1", stringData={"a": "x"})
    assert _payload(body) == body


@pytest.mark.parametrize(
    ("subresources", "kept"),
    [
        pytest.param((), True, id="no-subresource"),
        pytest.param(("scale",), True, id="another-subresource"),
        pytest.param(("status",), False, id="status"),
    ],
)
def test_status_goes_only_where_it_is_a_subresource(subresources: tuple[str, ...], *, kept: bool) -> None:
    """Without the subresource it is a field like any other."""
    assert ("status" in _payload(body_of("Thing", status={"a": 1}), *subresources)) is kept


@pytest.mark.parametrize(
    ("role", "kept"),
    [
        pytest.param({"aggregationRule": {"a": 1}, "rules": []}, False, id="empty-beside-aggregation"),
        pytest.param({"aggregationRule": {"a": 1}, "rules": None}, False, id="null-beside-aggregation"),
        pytest.param({"aggregationRule": {"a": 1}, "rules": [{"verbs": ["get"]}]}, True, id="written-rules"),
        pytest.param({"rules": []}, True, id="no-aggregation"),
    ],
)
def test_empty_rules_beside_an_aggregation_rule_go(role: Body, *, kept: bool) -> None:
    """A controller fills them; owned as empty they would be emptied again and again."""
    body = body_of("ClusterRole", api="rbac.authorization.k8s.io/v1", **role)
    assert ("rules" in _payload(body)) is kept


def test_server_set_metadata_goes() -> None:
    """What `kubectl get -o yaml` left behind is not Git's to say."""
    left_over = {
        "uid": "u",
        "resourceVersion": "1",
        "generation": 2,
        "creationTimestamp": None,
        "managedFields": [],
        "selfLink": "/x",
        "deletionTimestamp": "now",
        "deletionGracePeriodSeconds": 0,
    }
    kept = {"labels": {"a": "b"}, "ownerReferences": [{"uid": "x"}], "finalizers": ["f"]}
    assert _payload(body_of(metadata=left_over | kept)) == body_of(metadata=kept)


@pytest.mark.parametrize("labels", [None, {}, {"app": "web"}, {PART_OF: "applyset-other"}], ids=str)
def test_the_payload_carries_our_label(labels: Any) -> None:
    """Beside Git's own labels, and in place of a label that Git copied from elsewhere."""
    body = body_of(metadata={"labels": labels})
    assert labelled(body, "applyset-x")["metadata"]["labels"] == {**(labels or {}), PART_OF: "applyset-x"}
    assert body["metadata"]["labels"] is labels


def test_the_hash_is_of_what_git_means() -> None:
    """Key order and what is normalised away don't move it; a value does."""
    resource = resource_of()
    one = manifest_of(body_of(data={"a": "1", "b": "2"}))
    reordered = manifest_of(body_of(data={"b": "2", "a": "1"}, metadata={"uid": "u"}))
    changed = manifest_of(body_of(data={"a": "1", "b": "3"}))
    assert payload_hash(one, resource) == payload_hash(reordered, resource)
    assert payload_hash(one, resource) != payload_hash(changed, resource)


def test_a_secrets_hash_is_its_sources() -> None:
    """A hash of the values would let anyone who reads the inventory test guesses."""
    body = body_of("Secret", data={"a": "eA=="})
    manifest = Manifest(ref_of(body), body, Origin("a.yaml"), source_hash="of-the-file")
    assert payload_hash(manifest, resource_of("Secret")) == "of-the-file"
