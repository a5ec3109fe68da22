"""Files that SOPS has encrypted: decrypted with a key, else refused; their ciphertext goes nowhere."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from encryption import Key, encrypt, make_key
from sourcing import bodies, faults_of, origins, put

from recon_action.desired import load
from recon_action.desired.sources.sops import format_of
from recon_action.model import Manifest, SourceSettings

SECRET = (
    "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData:\n  user: admin\n  password: hunter2-hunter2\n"
)
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  color: blue\n  token: t0ken-of-it\n"
NEVER = "what is encrypted is never applied as it is"


@pytest.fixture
def key(folder: Path) -> Key:
    """A key that nobody has yet."""
    return make_key()


@pytest.fixture
def known(key: Key, monkeypatch: pytest.MonkeyPatch) -> Key:
    """A key that is at hand."""
    monkeypatch.setenv("SOPS_AGE_KEY", key.secret)
    return key


@pytest.fixture
def secrets(folder: Path, key: Key, tools: Mapping[str, Path]) -> Path:
    """A Secret, and a map of which one value is encrypted."""
    put(folder, app__secret_yaml=SECRET, app__settings_yaml=SETTINGS)
    encrypt(tools["sops"], folder / "app/secret.yaml", key.recipient)
    encrypt(tools["sops"], folder / "app/settings.yaml", key.recipient, "--encrypted-regex", "^token$")
    return folder


def test_with_a_key_files_are_decrypted(secrets: Path, known: Key) -> None:
    """SOPS' own metadata is gone, and each object stands where it stands in its file."""
    desired = load(["app"])
    assert bodies(desired) == {
        "Secret login": {
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login"},
            "stringData": {"user": "admin", "password": "hunter2-hunter2"},
        },
        "ConfigMap settings": {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"},
            "data": {"color": "blue", "token": "t0ken-of-it"},
        },
    }  # fmt: skip
    assert origins(desired) == {"Secret login": "app/secret.yaml:1", "ConfigMap settings": "app/settings.yaml:1"}
    assert {one.origin.source for one in desired.manifests} == {"sops"}


def test_what_was_encrypted_is_secret(secrets: Path, known: Key) -> None:
    """By its value, and by its field, whatever the object; nothing is kept that could be guessed from."""
    desired = load(["app"])
    assert desired.secrets == {"admin", "hunter2-hunter2", "t0ken-of-it"}
    found = {one.ref.kind: one for one in desired.manifests}
    assert [str(pattern) for pattern in found["ConfigMap"].secret] == ["data/token"]
    before = [one.source_hash for one in desired.manifests]
    assert all(before)
    assert "hunter2" not in repr(desired)
    text = (secrets / "app/secret.yaml").read_text()
    (secrets / "app/secret.yaml").write_text(text + "\n")
    assert [one.source_hash == was for one, was in zip(load(["app"]).manifests, before, strict=True)] == [False, True]


def test_the_key_may_be_a_file(secrets: Path, key: Key, monkeypatch: pytest.MonkeyPatch) -> None:
    """As sops itself takes it."""
    put(secrets, keys_txt=f"# a comment\n{key.secret}\n")
    monkeypatch.setenv("SOPS_AGE_KEY_FILE", str(secrets / "keys.txt"))
    assert len(load(["app"]).manifests) == 2


def test_without_a_key_the_recipient_is_named(secrets: Path, key: Key) -> None:
    """So that somebody can tell which key it takes."""
    faults = faults_of(["app"])
    assert len(faults) == 2
    assert all(f"no key at hand decrypts it; it is encrypted for {key.recipient}" in fault for fault in faults)
    assert all(fault.endswith(NEVER) for fault in faults)
    line = (secrets / "app/secret.yaml").read_text().splitlines().index("sops:") + 1
    assert faults[0].startswith(f"app/secret.yaml:{line}:1: ")


def test_a_file_that_was_changed_is_refused(secrets: Path, known: Key) -> None:
    """Its signature covers what is not encrypted, too."""
    file = secrets / "app/settings.yaml"
    file.write_text(file.read_text().replace("blue", "red"))
    (fault,) = faults_of(["app"])
    assert "was changed after it was encrypted" in fault


def test_a_preview_decrypts_nothing(secrets: Path, known: Key) -> None:
    """Of each object only the identity is known, and why; not even its ciphertext is."""
    desired = load(["app"], settings=SourceSettings(decrypt=False))
    assert bodies(desired) == {
        "Secret login": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login"}},
        "ConfigMap settings": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}},
    }
    assert {one.withheld for one in desired.manifests} == {
        "encrypted, and a preview decrypts only with `decrypt: true`"
    }
    assert desired.secrets == frozenset()


def test_what_is_encrypted_as_a_whole_is_no_object(folder: Path, known: Key, tools: Mapping[str, Path]) -> None:
    """Decrypted it is one; not decrypted nobody can tell which."""
    put(folder, a_yaml=SETTINGS)
    encrypt(tools["sops"], folder / "a.yaml", known.recipient, "--unencrypted-regex", "^nothing$")
    assert list(bodies(load(["a.yaml"]))) == ["ConfigMap settings"]
    (fault,) = faults_of(["a.yaml"], decrypt=False)
    assert "encrypted as a whole, so that nobody can tell what it is" in fault


@pytest.mark.parametrize("suffix", ["yaml", "json"], ids=["yaml", "json"])
def test_formats(folder: Path, known: Key, tools: Mapping[str, Path], suffix: str) -> None:
    """YAML of several documents, and JSON."""
    if suffix == "yaml":
        put(folder, a_yaml=SECRET + "---\n" + SETTINGS)
    else:
        put(
            folder,
            a_json='{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login"}, "data": {"a": "YmJiYg=="}}',
        )
    encrypt(tools["sops"], folder / f"a.{suffix}", known.recipient)
    desired = load([f"a.{suffix}"])
    assert "Secret login" in bodies(desired)
    assert desired.secrets == (
        {"admin", "hunter2-hunter2", "blue", "t0ken-of-it"} if suffix == "yaml" else {"YmJiYg=="}
    )


@pytest.mark.parametrize(
    ("text", "name", "form"),
    [
        pytest.param("data: ENC[AES256_GCM,x]\nsops:\n  mac: y\n", "a.yaml", "yaml", id="yaml"),
        pytest.param('{"data": "ENC[AES256_GCM,x]", "sops": {}}', "a.json", "json", id="json"),
        pytest.param('{"data": "ENC[AES256_GCM,x]", "sops": {}}', "a.txt", "binary", id="binary"),
        pytest.param("a=ENC[AES256_GCM,x]\nsops_mac=y\n", "a.env", "dotenv", id="dotenv"),
        pytest.param("a=ENC[AES256_GCM,x]\nsops_mac=y\n", "env.enc", "dotenv", id="dotenv-by-another-name"),
        pytest.param("[a]\nb=ENC[AES256_GCM,x]\n[sops]\nmac=y\n", "a.ini", "ini", id="ini"),
        pytest.param("kind: ConfigMap\ndata:\n  a: ENC[AES256_GCM,x]\n", "a.yaml", "", id="a-quotation"),
        pytest.param(
            "data:\n  file: |\n    a: ENC[AES256_GCM,x]\n    sops:\n      mac: y\n", "a.yaml", "", id="a-file-in-a-map"
        ),
        pytest.param("sops:\n  mac: y\n", "a.yaml", "", id="nothing-encrypted"),
    ],
)
def test_forms(text: str, name: str, form: str) -> None:
    """A file is encrypted if it holds both ciphertext and SOPS' signature, at its top."""
    assert format_of(text.encode(), name) == form


def test_key_services_are_not_asked_unasked(folder: Path, tools: Mapping[str, Path]) -> None:
    """A file that only one of them can decrypt is told with its name."""
    arn = "arn:aws:kms:eu-west-1:111122223333:key/12345678-1234-1234-1234-123456789012"
    put(
        folder,
        a_yaml=f"kind: Secret\ndata: {{a: 'ENC[AES256_GCM,x]'}}\nsops:\n  kms:\n  - arn: {arn}\n  mac: y\n",
    )
    (fault,) = faults_of(["a.yaml"])
    assert f"a.yaml:3:1: is encrypted for {arn}" in fault
    assert "allow it with --allow-network" in fault


@pytest.fixture
def app(folder: Path, key: Key, tools: Mapping[str, Path]) -> Path:
    """A resource, a patch and a generator's files, each encrypted."""
    put(
        folder,
        base__kustomization_yaml="resources: [secret.yaml]\n",
        base__secret_yaml=SECRET,
        app__kustomization_yaml=(
            "namePrefix: x-\nresources: [../base, map.yaml]\npatches: [{path: patch.yaml}]\n"
            "secretGenerator:\n- {name: made, files: [pass=pass.txt], envs: [all.env]}\n"
            "configMapGenerator:\n- {name: public, literals: [note=it is the passphrase-of-it]}\n"
        ),
        app__map_yaml=SETTINGS,
        app__patch_yaml="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {token: other-token}\n",
        app__pass_txt="passphrase-of-it",
        app__all_env="A=first-value\n",
    )
    for name in ("base/secret.yaml", "app/patch.yaml"):
        encrypt(tools["sops"], folder / name, key.recipient)
    for name in ("app/pass.txt", "app/all.env"):
        encrypt(tools["sops"], folder / name, key.recipient, "--unencrypted-suffix", "_none")
    return folder


def _by_name(manifests: tuple[Manifest, ...]) -> dict[str, Manifest]:
    """By name, without the hash that kustomize adds."""
    return {one.ref.name.removeprefix("x-").split("-")[0]: one for one in manifests}


def test_kustomize_sees_no_ciphertext(app: Path, known: Key) -> None:
    """What comes out is as if nothing had been encrypted; origins are those of the repository."""
    desired = load(["app"])
    found = _by_name(desired.manifests)
    assert found["login"].body["stringData"]["password"] == "hunter2-hunter2"
    assert found["settings"].body["data"]["token"] == "other-token"
    assert found["made"].body["data"] == {"pass": "cGFzc3BocmFzZS1vZi1pdA==", "A": "Zmlyc3QtdmFsdWU="}
    assert found["login"].origin.file == "base/secret.yaml"
    assert found["settings"].origin.file == "app/map.yaml"
    assert not list((app / "app").glob("*.dec*"))


def test_what_was_encrypted_is_secret_in_whatever_it_ends_up(app: Path, known: Key) -> None:
    """In whatever object a value ends up."""
    desired = load(["app"])
    found = _by_name(desired.manifests)
    assert desired.secrets >= {"hunter2-hunter2", "other-token", "passphrase-of-it", "first-value"}
    assert [str(pattern) for pattern in found["settings"].secret] == ["data/token"]
    assert [str(pattern) for pattern in found["public"].secret] == ["data/note"]
    assert all(found[name].source_hash for name in ("login", "settings", "made", "public"))


def test_without_a_key_nothing_is_built(app: Path, key: Key) -> None:
    """Each file is told."""
    faults = faults_of(["app"])
    assert sorted(fault.partition(":")[0] for fault in faults) == [
        "app/all.env", "app/pass.txt", "app/patch.yaml", "base/secret.yaml",
    ]  # fmt: skip
    assert all(key.recipient in fault for fault in faults)


def test_a_preview_refuses_to_hide_ciphertext_in_objects(app: Path, known: Key) -> None:
    """A resource can be left alone; what a generator reads would end up where nobody can tell it."""
    faults = faults_of(["app"], decrypt=False)
    assert sorted(fault.partition(":")[0] for fault in faults) == ["app/all.env", "app/pass.txt"]
    desired = load(["base"], settings=SourceSettings(decrypt=False))
    assert [(str(one.ref), bool(one.withheld)) for one in desired.manifests] == [("Secret login", True)]
    assert list(desired.manifests[0].body) == ["apiVersion", "kind", "metadata"]


def test_errors_quote_no_secret(app: Path, known: Key, tools: Mapping[str, Path]) -> None:
    """Kustomize shows of what it can't read."""
    put(app, app__map_yaml="apiVersion: v1\nkind: first-secret-value\n")
    encrypt(tools["sops"], app / "app/map.yaml", known.recipient, "--encrypted-regex", "^kind$")
    (fault,) = faults_of(["app"])
    assert "first-secret-value" not in fault
    assert "***" in fault


def test_values_of_a_chart(folder: Path, known: Key, tools: Mapping[str, Path]) -> None:
    """A file of values may be encrypted; where its values end up is marked."""
    put(
        folder,
        c__Chart_yaml="apiVersion: v2\nname: c\nversion: 1.0.0\n",
        c__templates__a_yaml=(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {t: 'pre-{{ .Values.token }}', b: c}\n"
        ),
        v_yaml="token: chart-token-1\n",
    )
    encrypt(tools["sops"], folder / "v.yaml", known.recipient, "--encrypted-regex", "^token$")
    desired = load(["c"], settings=SourceSettings(values=("v.yaml",)))
    (manifest,) = desired.manifests
    assert manifest.body["data"] == {"t": "pre-chart-token-1", "b": "c"}
    assert [str(pattern) for pattern in manifest.secret] == ["data/t"]
    assert str(manifest.origin.position) == "c/templates/a.yaml:1"
    (fault,) = faults_of(["c"], values=("v.yaml",), decrypt=False)
    assert fault.startswith("v.yaml:1:1: encrypted, and a preview decrypts only with `decrypt: true`")


def test_nothing_decrypted_stays_behind(
    folder: Path, known: Key, tools: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The private copy is gone when the reading is over."""
    put(folder, app__kustomization_yaml="resources: [s.yaml]\n", app__s_yaml=SECRET)
    encrypt(tools["sops"], folder / "app/s.yaml", known.recipient)
    places = [Path("/dev/shm"), Path("/tmp")]
    before = {path for place in places for path in place.glob("recon-action-*")}
    load(["app"])
    assert not {path for place in places for path in place.glob("recon-action-*")} - before
