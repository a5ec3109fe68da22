"""Which object of the set a refusal asks for."""

import pytest
from objects import ref

from recon_action.analyze.awaited import awaited
from recon_action.model import ObjectRef, Problem, Trouble

_ACCOUNT = ref("ServiceAccount", "web", "shop")
_CLASS = ref("PriorityClass", "high", group="scheduling.k8s.io")
_RUNTIME = ref("RuntimeClass", "fast", group="node.k8s.io")
_ROLE = ref("Role", "reader", "shop", "rbac.authorization.k8s.io")
_HOOK = ref("Service", "hook", "hooks")
_MISSING = [_ACCOUNT, _CLASS, _RUNTIME, _ROLE, _HOOK]


@pytest.mark.parametrize(
    ("trouble", "message", "expected"),
    [
        pytest.param(
            Trouble.DENIED,
            'pods "a" is forbidden: error looking up service account shop/web: serviceaccount "web" not found',
            _ACCOUNT,
            id="account",
        ),
        pytest.param(
            Trouble.DENIED,
            'pods "a" is forbidden: no PriorityClass with name high was found',
            _CLASS,
            id="priority",
        ),
        pytest.param(
            Trouble.DENIED, 'pods "a" is forbidden: pod rejected: RuntimeClass "fast" not found', _RUNTIME, id="runtime"
        ),
        pytest.param(
            Trouble.MISSING, 'roles.rbac.authorization.k8s.io "reader" not found', _ROLE, id="role-of-a-binding"
        ),
        pytest.param(
            Trouble.UNAVAILABLE,
            'Internal error occurred: failed calling webhook "x": failed to call webhook: Post '
            '"https://hook.hooks.svc:443/": service "hook" not found',
            _HOOK,
            id="backend-of-a-webhook",
        ),
        pytest.param(Trouble.DENIED, 'serviceaccount "other" not found', None, id="another-name"),
        pytest.param(Trouble.DENIED, 'configmap "web" not found', None, id="another-kind"),
        pytest.param(Trouble.INVALID, 'serviceaccount "web" not found', None, id="another-trouble"),
        pytest.param(Trouble.DENIED, "not on a Friday", None, id="another-reason"),
    ],
)
def test_what_is_waited_for(trouble: Trouble, message: str, expected: ObjectRef | None) -> None:
    """By the server's own words."""
    assert awaited(ref("Pod", "a", "shop"), Problem(trouble, message), _MISSING) == expected


def test_a_namesake_elsewhere_is_another() -> None:
    """An account of another namespace doesn't help."""
    problem = Problem(Trouble.DENIED, 'serviceaccount "web" not found')
    assert awaited(ref("Pod", "a", "other"), problem, _MISSING) is None
