"""What to do where a kubeconfig needs what is not here: one line each. Tables; `kubeconfig` reads them."""

from pathlib import PurePath

# The action runs in a container, which has neither the job's programs nor its home.
FLATTEN = "give a kubeconfig that holds its certificates: kubectl config view --raw --flatten --minify > FILE"
NO_CONTEXT = "it has no context at all; kubectl config view --raw --flatten writes a whole kubeconfig"

# What prints a token, by the plugin that would have got one.
_TOKEN_BY = {
    "aws": "aws eks get-token --cluster-name NAME --query status.token --output text",
    "aws-iam-authenticator": "aws eks get-token --cluster-name NAME --query status.token --output text",
    "aws-vault": "aws-vault exec PROFILE -- aws eks get-token --cluster-name NAME --query status.token --output text",
    "gke-gcloud-auth-plugin": "gcloud auth print-access-token",
    "gcloud": "gcloud auth print-access-token",
    # The resource is AKS itself, the same in every tenant.
    "kubelogin": "az account get-access-token --resource 6dae42f8-4368-4678-94ff-3960e28e3630 "
    "--query accessToken --output tsv",
    "oci": "oci ce cluster generate-token --cluster-id OCID | jq -r .status.token",
    "yc": "yc k8s create-token | jq -r .status.token",
    "tsh": "tsh kube credentials --kube-cluster=NAME --teleport-cluster=NAME | jq -r .status.token",
}
_OTHERWISE = {
    "doctl": "give the kubeconfig that holds a token instead: doctl kubernetes cluster kubeconfig show NAME > FILE",
    "kubectl": "a login in a browser is for people: use auth: github-oidc, or a service account's token",
    "kubectl-oidc_login": "a login in a browser is for people: use auth: github-oidc, or a service account's token",
}
_PROVIDERS = {
    "gcp": ("gke-gcloud-auth-plugin", "gcloud auth print-access-token"),
    "azure": ("kubelogin", _TOKEN_BY["kubelogin"]),
}


def plugin(command: str, user: str) -> str:
    """What to do about a credential plugin that is missing or fails."""
    name = PurePath(command).name.removesuffix(".exe")
    if name in _OTHERWISE:
        return _OTHERWISE[name]
    printed = _TOKEN_BY.get(name, "COMMAND THAT PRINTS IT")
    return (
        "install it and log in, or, as for the action, whose container has none, put a token in its place in the step "
        f"before: {_put(user, printed)}"
    )


def auth_provider(name: str, user: str) -> str:
    """What to do about an auth provider that Kubernetes has given up; "" for one that works."""
    if name not in _PROVIDERS:
        return ""
    successor, printed = _PROVIDERS[name]
    return f"kubectl 1.26 gave it up for {successor}; put a token in its place: {_put(user, printed)}"


def _put(user: str, printed: str) -> str:
    return f'kubectl config set-credentials "{user}" --token="$({printed})"'
