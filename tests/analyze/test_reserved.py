"""What no manifest may take the place of."""

import pytest
from objects import body_of, live_of, ref

from recon_action.analyze.reserved import reserved
from recon_action.model import Body, Inventory, ObjectRef, Trouble

_INVENTORY = Inventory("shop", "recon-system")
_LEASES = "coordination.k8s.io"
_TOOLING = {"applyset.kubernetes.io/tooling": "recon-action/v1"}
_PARENT = {"applyset.kubernetes.io/id": "applyset-x"}
_PART = {"recon-action.github.io/inventory": "blog"}


@pytest.mark.parametrize(
    ("one", "metadata", "expected"),
    [
        pytest.param(ref(name="recon-action-shop", namespace="recon-system"), None, True, id="our-inventory"),
        pytest.param(ref(name="recon-action-blog", namespace="recon-system"), None, True, id="another-s-inventory"),
        pytest.param(ref("Lease", "recon-action-blog", "recon-system", _LEASES), None, True, id="a-lock"),
        pytest.param(ref("Secret", "recon-action-blog", "recon-system"), None, False, id="another-kind"),
        pytest.param(ref(name="settings", namespace="recon-system"), None, False, id="another-name"),
        pytest.param(ref(name="recon-action-shop", namespace="shop"), None, False, id="another-namespace"),
        pytest.param(
            ref(name="a", namespace="ops"), {"labels": _PARENT, "annotations": _TOOLING}, True, id="elsewhere"
        ),
        pytest.param(ref(name="a", namespace="ops"), {"labels": _PART}, True, id="a-part"),
        pytest.param(ref(name="a", namespace="ops"), {"labels": _PARENT}, False, id="another-tool-s-set"),
        pytest.param(ref(name="a", namespace="ops"), {"annotations": {"a": "b"}}, False, id="an-object-like-any-other"),
    ],
)
def test_what_is_reserved(one: ObjectRef, metadata: Body | None, *, expected: bool) -> None:
    """By name where our inventory lies, and anywhere by the marks that we leave on one."""
    live = live_of(body_of(one.kind, one.name, namespace=one.namespace, metadata=metadata)) if metadata else None
    problem = reserved(one, live, _INVENTORY)
    assert (problem is not None) is expected
    assert problem is None or problem.trouble is Trouble.REFUSED
