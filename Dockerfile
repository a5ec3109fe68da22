# Any base with python3 (3.11 or newer), its venv module and apt: `make image BASE=…`.
ARG BASE=python:3.13-slim
# Where /tools is taken from: the stage that builds kustomize, helm and sops, or an image that has them.
ARG TOOLS=tools-from-source
ARG GOLANG=golang:1.26-bookworm

# Built where the builder runs, for where the image will: emulated, it would take an hour.
FROM --platform=${BUILDPLATFORM} ${GOLANG} AS tools-from-source
ARG TARGETOS
ARG TARGETARCH
COPY recon_action/desired/sources/golang /src
ENV CGO_ENABLED=0 GOFLAGS=-mod=readonly GOTOOLCHAIN=local GOOS=${TARGETOS} GOARCH=${TARGETARCH}
RUN mkdir /tools \
 && go -C /src/kustomize build -trimpath -buildvcs=false -o /tools/kustomize -ldflags "-s -w -X \
sigs.k8s.io/kustomize/api/provenance.version=$(go -C /src/kustomize list -m -f '{{.Version}}' sigs.k8s.io/kustomize/kustomize/v5)" \
    sigs.k8s.io/kustomize/kustomize/v5 \
 && go -C /src/helm build -trimpath -buildvcs=false -o /tools/helm -ldflags "-s -w -X \
helm.sh/helm/v4/internal/version.version=$(go -C /src/helm list -m -f '{{.Version}}' helm.sh/helm/v4)" \
    helm.sh/helm/v4/cmd/helm \
 && go -C /src/sops build -trimpath -buildvcs=false -o /tools/sops -ldflags "-s -w" github.com/getsops/sops/v3/cmd/sops

FROM ${TOOLS} AS tools

FROM ${BASE} AS build
WORKDIR /src
COPY requirements requirements
# The wheel's tools and the program's own packages stay apart: only the second folder is shipped.
RUN python3 -m venv /tools \
 && /tools/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements/build.txt \
 && python3 -m venv --without-pip /opt/recon-action \
 && /tools/bin/pip --python /opt/recon-action/bin/python install --no-cache-dir --disable-pip-version-check \
    --no-warn-script-location --require-hashes -r requirements/runtime.txt
COPY pyproject.toml README.md LICENSE ./
COPY recon_action recon_action
# The examples are part of the package: what `init` writes is made of them.
COPY docs/examples docs/examples
RUN /tools/bin/python -m build --wheel --no-isolation --outdir /dist \
 && /tools/bin/pip --python /opt/recon-action/bin/python install --no-cache-dir --disable-pip-version-check \
    --no-index --no-deps /dist/*.whl

FROM ${BASE}
LABEL org.opencontainers.image.source="https://github.com/recon-action/recon-action" \
      org.opencontainers.image.licenses="Apache-2.0"
# The workspace belongs to the runner's user, and we are root (as actions have to be): without the exception git
# refuses to read it.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
 && git config --system --add safe.directory /github/workspace
COPY --from=tools /tools/ /usr/local/bin/
COPY --from=build /opt/recon-action /opt/recon-action
# -I: the working directory is the repository under inspection, and nothing of it may be imported; nor do PYTHON*
# variables of the workflow reach us. -u: the log's lines leave in the order they were written.
ENTRYPOINT ["/opt/recon-action/bin/python", "-I", "-u", "-m", "recon_action", "action"]
