"""What the API server's statuses and words mean, and what to do about each. A table; `failure` reads it."""

import re
from dataclasses import dataclass, replace

from recon_action.model import Trouble


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a refusal means.

    Args:
        trouble: the class.
        hint: what to do about it; "" means the class' own hint.
        source: of a fault that passes by itself, what fails; "" where sending again would give the same.
    """

    trouble: Trouble
    hint: str = ""
    source: str = ""

    def of(self, found: re.Match[str]) -> "Meaning":
        """With what the server's words name put into the source."""
        return replace(self, source=found.expand(self.source)) if self.source else self


HINTS = {
    Trouble.INVALID: "correct the manifest as the server's message says",
    Trouble.IMMUTABLE: "put the old value back, or let --recreate delete the object and create it anew",
    Trouble.CONFLICT: "something else changed the object at the same time; run again",
    Trouble.DENIED: "admission refuses the object: change it, or the policy, webhook or quota that refuses it",
    Trouble.UNREACHABLE: "check the server's address in the kubeconfig, the network and the certificate",
    Trouble.UNAVAILABLE: "the API server is overloaded or failing; run again later",
}

BY_STATUS = {
    400: Meaning(Trouble.INVALID),
    401: Meaning(Trouble.FORBIDDEN, "the server does not know who asks; renew the credentials"),
    403: Meaning(Trouble.FORBIDDEN),
    404: Meaning(Trouble.MISSING),
    405: Meaning(Trouble.INVALID),
    409: Meaning(Trouble.CONFLICT),
    410: Meaning(Trouble.UNAVAILABLE),  # a page or a watch too old: its reader begins anew
    413: Meaning(Trouble.INVALID, "the object is larger than the API server takes; split it"),
    415: Meaning(Trouble.INVALID),
    422: Meaning(Trouble.INVALID),
}

_BY_WORDS = {
    # Admission.
    r'^admission webhook "[^"]*" does not support dry run': Meaning(
        Trouble.DENIED, "nobody can ask the webhook beforehand until it declares sideEffects: None or NoneOnDryRun"
    ),
    r'^admission webhook "[^"]*" denied the request': Meaning(
        Trouble.DENIED, "change the object as the webhook says, or the webhook"
    ),
    r" is forbidden: ValidatingAdmissionPolicy '": Meaning(
        Trouble.DENIED, "change the object as the policy says, or the policy"
    ),
    r' is forbidden: violates PodSecurity "': Meaning(
        Trouble.DENIED,
        "correct the pod as the message says; the namespace's label pod-security.kubernetes.io/enforce asks it",
    ),
    r" is forbidden: exceeded quota: ": Meaning(Trouble.DENIED, "raise the quota, or delete what counts towards it"),
    r" is forbidden: failed quota: ": Meaning(Trouble.DENIED, "state what the message names: the quota counts it"),
    r" is forbidden: status unknown for quota: ([^ ,]+)": Meaning(
        Trouble.DENIED, "nothing counts what the quota limits; is kube-controller-manager running?", r"quota \1"
    ),
    r" because it is being terminated$": Meaning(Trouble.DENIED, "wait until the namespace is gone, then run again"),
    # What admission needs, and what stands behind the server.
    r'^Internal error occurred: failed calling webhook "([^"]*)"': Meaning(
        Trouble.UNAVAILABLE,
        "the webhook does not answer: look after what runs behind it, or at its configuration",
        r"webhook \1",
    ),
    r"conversion webhook for (.+?) failed": Meaning(
        Trouble.UNAVAILABLE,
        "the CRD's conversion webhook does not answer: look after what runs behind it",
        r"conversion webhook for \1",
    ),
    r'error looking up service account ([^/ ]+)/default: serviceaccount "default" not found$': Meaning(
        Trouble.DENIED,
        "a namespace gets this account a moment after it is made; is kube-controller-manager running?",
        r"account of \1",
    ),
    r"^Operation cannot be fulfilled on resourcequotas ": Meaning(
        Trouble.CONFLICT, "many objects changed one quota at the same time; run again", "quota"
    ),
    r"etcdserver: mvcc: database space exceeded": Meaning(
        Trouble.UNAVAILABLE, "etcd's store is full: compact and defragment it, or raise its quota"
    ),
    r"etcdserver: request is too large|trying to send message larger than max": Meaning(
        Trouble.INVALID, "the object is larger than the API server can store; split it"
    ),
    # The server says 500, but it is the manifest that doesn't fit the schema.
    r"field not declared in schema$|strict decoding error: unknown field": Meaning(
        Trouble.INVALID, "correct the field's name, or check that this version of the kind has it"
    ),
    r"^failed to create typed patch object|unable to convert unstructured object": Meaning(Trouble.INVALID),
    # Who, and where.
    r"UID in (the )?precondition": Meaning(
        Trouble.CONFLICT, "someone created the object anew meanwhile; run again to see what it is now"
    ),
    r"^Apply failed with \d+ conflicts?: ": Meaning(
        Trouble.CONFLICT, "another field manager holds these fields: leave them to it, or apply with force"
    ),
    r" is attempting to grant RBAC permissions not currently held": Meaning(
        Trouble.FORBIDDEN, "whoever applies has to hold these permissions as well, or the verb escalate (bind) on roles"
    ),
    r"^404 page not found|^the server could not find the requested resource": Meaning(
        Trouble.MISSING, "the server does not serve this kind: look at its CRD, or at the API service behind it"
    ),
    r'^namespaces "[^"]*" not found$': Meaning(Trouble.MISSING, "add the namespace to the manifests, or create it"),
}
# The first that fits decides, whatever the status. A message may quote what a user wrote, so words are looked for
# where the server puts them.
BY_WORDS = tuple((re.compile(words), meaning) for words, meaning in _BY_WORDS.items())

# What a failed handshake means, by OpenSSL's words, and what to do about it.
_BY_HANDSHAKE = {
    r"(Hostname|IP address) mismatch": (
        "its certificate is for another name",
        "set tls-server-name in the kubeconfig's cluster to a name that the certificate has, or use such a name",
    ),
    r"certificate has expired|not yet valid": (
        "its certificate is expired, or not valid yet",
        "renew the server's certificate; check the clock here, too",
    ),
    r"self[- ]signed|unable to get (local )?issuer|certificate signature failure": (
        "its certificate is of an authority that is not trusted",
        "the kubeconfig's certificate-authority-data is missing or another cluster's; get the kubeconfig anew",
    ),
    r"WRONG_VERSION_NUMBER|RECORD_LAYER_FAILURE|HTTP_REQUEST": (
        "it does not speak TLS",
        "check the server's address and port in the kubeconfig, and the proxy",
    ),
    r"ALERT": (
        "it refused the handshake",
        "the client certificate of the kubeconfig's user is missing, or of another cluster's authority",
    ),
    r"": (
        "TLS with it failed",
        "check the server's address and certificate authority in the kubeconfig, and the proxy",
    ),
}
BY_HANDSHAKE = tuple((re.compile(words), told) for words, told in _BY_HANDSHAKE.items())
THROUGH_PROXY = "check proxy-url in the kubeconfig, or HTTPS_PROXY; NO_PROXY lists the hosts that are reached without"

# What says that a field can't be changed, by the type of the cause: the words that end the reason of an invalid
# value, behind the value itself, or all that is said of a forbidden one. CRDs say it in words of their own.
_UNCHANGEABLE = r"\b(?:is|are) immutable|\b(?:may |can ?)not be changed"
IMMUTABLE = {
    "FieldValueInvalid": re.compile(
        rf"(?:{_UNCHANGEABLE})(?: once set)?\.?$|may not change once set$|failed rule: self == oldSelf$"
    ),
    "FieldValueForbidden": re.compile(
        rf"(?:{_UNCHANGEABLE})\b|\bupdates to .* are forbidden|\bmay not change fields other than"
    ),
}
