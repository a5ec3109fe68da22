"""What the API server itself sets and clears in a Service's spec when its type or ports change."""

from recon_action.model import Body

_EXPOSED = frozenset({"NodePort", "LoadBalancer"})
_OF_EXPOSED = frozenset({"externalTrafficPolicy", "healthCheckNodePort"})
_OF_BALANCED = frozenset({"allocateLoadBalancerNodePorts", "loadBalancerClass"})


def settled_service(spec: Body, live: Body) -> Body:
    """`spec` as it would be stored over `live`: node ports stay, or go with the type that needed them."""
    before, after = live.get("type"), spec.get("type")
    old = {port.get("name", ""): port.get("nodePort") for port in live.get("ports") or ()}
    ports = [dict(port) for port in spec.get("ports") or ()]
    gone: frozenset[str] = frozenset()
    if before in _EXPOSED and after not in _EXPOSED:
        gone = _OF_EXPOSED
        for port in ports:
            if port.get("nodePort") in old.values():
                del port["nodePort"]
    elif before in _EXPOSED:
        used = {port.get("nodePort") for port in ports}
        for port in ports:
            known = old.get(port.get("name", ""))
            if known and not port.get("nodePort") and known not in used:
                port["nodePort"] = known
    if before == "LoadBalancer" != after:
        gone |= _OF_BALANCED
    settled = {key: value for key, value in spec.items() if key not in gone or value != live.get(key)}
    return settled | ({"ports": ports} if ports else {})
