"""A small OpenAPI, as an API server publishes it: one built-in kind, one custom resource."""

from typing import Any

_CORE = "io.k8s.api.core.v1"
_APPS = "io.k8s.api.apps.v1"


def _ref(name: str, **beside: Any) -> dict[str, Any]:
    return {"allOf": [{"$ref": f"#/components/schemas/{name}"}], **beside}


def _keyed(name: str, *keys: str) -> dict[str, Any]:
    return {
        "type": "array",
        "items": _ref(name),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": list(keys),
    }


def _object(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties} | ({"required": list(required)} if required else {})


_TEXT = {"type": "string"}
_WHOLE_NUMBER = {"type": "integer", "format": "int32"}
_YES_OR_NO = {"type": "boolean"}
_TEXTS = {"type": "object", "additionalProperties": _TEXT}
_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_JSON_SCHEMA = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"

TYPES: dict[str, Any] = {
    f"{_META}.ObjectMeta": _object(
        name=_TEXT,
        labels=_TEXTS,
        annotations=_TEXTS,
        finalizers={"type": "array", "items": _TEXT, "x-kubernetes-list-type": "set"},
    ),
    f"{_META}.Duration": _TEXT,
    _QUANTITY: {"description": "prose", "oneOf": [{"type": "string"}, {"type": "number"}]},
    f"{_CORE}.ContainerPort": _object(
        ("containerPort",),
        containerPort=_WHOLE_NUMBER | {"default": 0},
        protocol=_TEXT | {"default": "TCP"},
        name=_TEXT,
    ),
    f"{_CORE}.EnvVar": _object(("name",), name=_TEXT | {"default": ""}, value=_TEXT),
    f"{_CORE}.Resources": _object(limits={"type": "object", "additionalProperties": _ref(_QUANTITY)}),
    f"{_CORE}.Container": _object(
        ("name",),
        name=_TEXT | {"default": ""},
        image=_TEXT,
        imagePullPolicy=_TEXT,
        args={"type": "array", "items": _TEXT, "x-kubernetes-list-type": "atomic"},
        ports=_keyed(f"{_CORE}.ContainerPort", "containerPort", "protocol"),
        env=_keyed(f"{_CORE}.EnvVar", "name"),
        resources=_ref(f"{_CORE}.Resources", default={}),
        terminationMessagePath=_TEXT,
        terminationMessagePolicy=_TEXT,
        tty=_YES_OR_NO,
        privileged=_YES_OR_NO,
    ),
    f"{_CORE}.Selector": _object(matchLabels=_TEXTS) | {"x-kubernetes-map-type": "atomic"},
    f"{_APPS}.DeploymentStrategy": _object(
        type=_TEXT, rollingUpdate=_ref(f"{_APPS}.RollingUpdateDeployment"), pause=_ref(f"{_META}.Duration")
    ),
    f"{_APPS}.RollingUpdateDeployment": _object(maxSurge={}, maxUnavailable={}),
    f"{_APPS}.DeploymentSpec": _object(
        ("selector",),
        replicas=_WHOLE_NUMBER,
        selector=_ref(f"{_CORE}.Selector"),
        strategy=_ref(f"{_APPS}.DeploymentStrategy", default={}),
        containers=_keyed(f"{_CORE}.Container", "name"),
        claims={"type": "array", "items": _ref(f"{_CORE}.Container"), "x-kubernetes-list-type": "atomic"},
        data={"type": "string", "format": "byte"},
    ),
    f"{_APPS}.Deployment": _object(
        apiVersion=_TEXT,
        kind=_TEXT,
        metadata=_ref(f"{_META}.ObjectMeta", default={}),
        spec=_ref(f"{_APPS}.DeploymentSpec", default={}),
    )
    | {"x-kubernetes-group-version-kind": [{"group": "apps", "kind": "Deployment", "version": "v1"}]},
    _JSON_SCHEMA: _object(
        type=_TEXT, items=_ref(f"{_JSON_SCHEMA}OrArray"), additionalProperties=_ref(f"{_JSON_SCHEMA}OrBool")
    ),
    f"{_JSON_SCHEMA}OrArray": {},
    f"{_JSON_SCHEMA}OrBool": {},
    "com.example.v1.Widget": _object(
        apiVersion=_TEXT,
        kind=_TEXT,
        metadata=_ref(f"{_META}.ObjectMeta"),
        spec=_object(
            mode=_TEXT | {"default": "auto"},
            cpu=_TEXT,
            maybe=_TEXT | {"nullable": True},
            nested=_object(depth=_WHOLE_NUMBER | {"default": 1}),
            rules={"type": "array", "items": _object(verb=_TEXT | {"default": "get"}, path=_TEXT)},
            free={"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            tags={"type": "array", "items": _TEXT, "x-kubernetes-list-type": "set"},
            hosts={
                "type": "array",
                "items": _TEXT,
                "x-kubernetes-patch-strategy": "merge",
            },
        ),
    )
    | {"x-kubernetes-group-version-kind": [{"group": "example.com", "kind": "Widget", "version": "v1"}]},
}
