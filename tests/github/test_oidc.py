"""The job's OIDC token: how it is asked for, when anew, and what is said when there is none."""

import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_issuer import SECRET, FakeIssuer, fake_issuer
from local_server import Answer, local_server

from recon_action.errors import ClusterError, UsageError
from recon_action.github.oidc import JobToken, Source, job_token
from recon_action.github.patience import Patience
from recon_action.model.bearer import claims_of


@pytest.fixture
def issuer(tmp_path: Path) -> Iterator[FakeIssuer]:
    """An issuer whose tokens live five minutes."""
    with fake_issuer(tmp_path) as running:
        yield running


class Job:
    """A job that asks an issuer, with a clock and a log of its own."""

    def __init__(self, issuer: FakeIssuer) -> None:
        self.now = 1000.0
        self.waits: list[float] = []
        self.masked: list[str] = []
        self._issuer = issuer

    def token(self, audience: str = "recon-lab", **variables: str) -> JobToken:
        """The source of its tokens."""
        environ = self._issuer.variables | variables
        source = Source.of(environ, audience, str(self._issuer.authority))
        return JobToken(source, self.mask, Patience(self.wait), lambda: self.now)

    def mask(self, values: Iterable[str]) -> None:
        """Hide `values`."""
        self.masked += values

    def wait(self, seconds: float) -> bool:
        """Wait, in no time."""
        self.waits.append(seconds)
        return False


@pytest.fixture
def job(issuer: FakeIssuer) -> Job:
    """A job."""
    return Job(issuer)


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("/token", "/token?audience=my+cluster%26x%3D1"),
        ("/token?api-version=2.0", "/token?api-version=2.0&audience=my+cluster%26x%3D1"),
        ("/token?a=%2F&audience=theirs&b=", "/token?a=%2F&b=&audience=my+cluster%26x%3D1"),
    ],
)
def test_the_audience_joins_the_query(issuer: FakeIssuer, job: Job, url: str, asked: str) -> None:
    """Whatever the runner's URL has, and whatever the audience holds."""
    token = job.token("my cluster&x=1", ACTIONS_ID_TOKEN_REQUEST_URL=issuer.url + url).token()
    assert [one.path for one in issuer.asked] == [asked]
    assert claims_of(token)["aud"] == "my cluster&x=1"


def test_masked_before_anybody_has_it(issuer: FakeIssuer, job: Job) -> None:
    """Each token is hidden in the log; what it is asked for with as well; no repr shows either."""
    source = job.token()
    assert job.masked == []
    token = source.token()
    assert job.masked == [token]
    assert SECRET not in repr(Source.of(issuer.variables, "a", "true"))
    assert token not in repr(source._held)
    job_token(issuer.variables, "a", job.mask)
    assert job.masked == [token, SECRET]


@pytest.mark.parametrize(("life", "good"), [(300, 240), (900, 840), (12, 8), (60, 44)])
def test_renewed_before_it_ends(issuer: FakeIssuer, job: Job, life: int, good: int) -> None:
    """It is used until a minute, or of a short life a quarter, is left; one request each."""
    issuer.life = life
    source = job.token()
    first = source.token()
    job.now += good - 0.1
    assert source.token() == first
    job.now += 0.2
    assert source.token() != first
    assert issuer.minted == job.masked
    assert len(issuer.minted) == 2


def test_a_clock_that_is_wrong_here(issuer: FakeIssuer, job: Job) -> None:
    """Its life is told by its own times, so a runner that lives in another year renews it in time as well."""
    old = time.time() - 1e6
    answer = Answer({"value": issuer.mint(aud="a", iat=old, exp=old + 300)})
    issuer.answers = [answer, answer]
    source = job.token()
    source.token()
    job.now += 239
    source.token()
    assert len(issuer.asked) == 1
    job.now += 2
    source.token()
    assert len(issuer.asked) == 2


def test_many_threads_ask_once(issuer: FakeIssuer, job: Job) -> None:
    """Of those that find no token one asks, and the others wait for it."""
    source, got = job.token(), []
    threads = [threading.Thread(target=lambda: got.append(source.token())) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == issuer.minted * 16


def test_a_refused_one_is_replaced_once(issuer: FakeIssuer, job: Job) -> None:
    """A thousand refusals cost one request: the successor is not replaced if it is refused as well, until it ends."""
    source = job.token()
    first = source.token()
    second = source.token(refused=first)
    assert second != first
    assert source.token(refused=first) == second
    assert source.token(refused=second) == second
    assert len(issuer.minted) == 2
    job.now += 241
    third = source.token()
    assert source.token(refused=third) != third


@pytest.mark.parametrize(
    ("environ", "message", "hint"),
    [
        pytest.param({"GITHUB_ACTIONS": "true"}, "may not have", "add `id-token: write` to", id="permission"),
        pytest.param({}, "only a job of GitHub Actions", "use a kubeconfig", id="elsewhere"),
        pytest.param(
            {"ACTIONS_ID_TOKEN_REQUEST_URL": "file:///etc/passwd", "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "x"},
            "is no web address",
            "the runner sets it",
            id="address",
        ),
    ],
)
def test_no_token_at_all(environ: dict[str, str], message: str, hint: str) -> None:
    """What is missing is said before anything is asked."""
    with pytest.raises(UsageError, match=message) as caught:
        Source.of(environ, "a", "true")
    assert hint in caught.value.hint


@pytest.mark.parametrize("content", [None, "no certificate"], ids=["missing", "other"])
def test_an_authority_that_is_none(issuer: FakeIssuer, tmp_path: Path, content: str | None) -> None:
    """A wrong ssl-verify is told as that."""
    file = tmp_path / "given.pem"
    if content:
        file.write_text(content)
    with pytest.raises(UsageError, match="input ssl-verify"):
        Source.of(issuer.variables, "a", str(file))


def test_the_certificate_is_checked(issuer: FakeIssuer, job: Job) -> None:
    """An authority that nobody named is refused, at once; `false` lets it pass."""
    source = JobToken(Source.of(issuer.variables, "a", "true"), job.mask, Patience(job.wait))
    with pytest.raises(ClusterError) as caught:
        source.token()
    assert "ssl-verify" in caught.value.hint
    assert (job.waits, issuer.minted) == ([], [])
    assert JobToken(Source.of(issuer.variables, "a", "False"), job.mask, Patience(job.wait)).token()


_BROKEN: list[Any] = [
    pytest.param(Answer({}, 503), id="503"),
    pytest.param(Answer(reset=True), id="reset"),
    pytest.param(Answer({"message": "slow down"}, 429, {"Retry-After": "3"}), id="429"),
]


@pytest.mark.parametrize("answer", _BROKEN)
def test_what_passes_is_waited_for(issuer: FakeIssuer, job: Job, answer: Answer) -> None:
    """As with all requests to GitHub."""
    issuer.answers = [answer]
    assert job.token().token() == issuer.minted[0]
    assert job.waits == [3 if answer.status == 429 else 1]


@pytest.mark.parametrize("answer", _BROKEN)
def test_what_does_not_pass(issuer: FakeIssuer, job: Job, answer: Answer) -> None:
    """Is an error of the cluster's access, after a few tries."""
    issuer.answers = [answer] * 9
    with pytest.raises(ClusterError, match="GitHub did not give the job's OIDC token"):
        job.token().token()
    assert len(issuer.asked) == 5


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        pytest.param(Answer({"message": f"no {SECRET} for you"}, 403), "`id-token: write`", id="403"),
        pytest.param(Answer({"message": "expired"}, 401), "`id-token: write`", id="401"),
        pytest.param(Answer(b"<html>portal</html>"), "proxy", id="page"),
        pytest.param(Answer({"value": None}), "proxy", id="none"),
        pytest.param(Answer({"value": "opaque"}), "proxy", id="no JWT"),
        pytest.param(Answer([]), "proxy", id="list"),
        pytest.param(Answer({"message": "bad audience"}, 400), "report", id="400"),
    ],
)
def test_refusals(issuer: FakeIssuer, job: Job, answer: Answer, hint: str) -> None:
    """Each says what to do, and never what it was asked with; nothing is tried again."""
    issuer.answers = [answer]
    with pytest.raises(ClusterError) as caught:
        job.token().token()
    assert hint in caught.value.hint
    assert SECRET not in caught.value.message
    assert len(issuer.asked) == 1


def test_nobody_there(job: Job) -> None:
    """A network that lets nothing out is told with the host that it has to let to."""
    with pytest.raises(ClusterError) as caught:
        job.token(ACTIONS_ID_TOKEN_REQUEST_URL="http://127.0.0.1:9/token").token()
    assert "127.0.0.1:9" in caught.value.hint


def test_the_secret_goes_nowhere_else(issuer: FakeIssuer, job: Job) -> None:
    """An answer that leads to another server does not take the Authorization header there."""
    with local_server() as other:
        other.answers = [Answer({"value": "x"})]
        issuer.answers = [Answer({}, 302, {"Location": other.url})]
        with pytest.raises(ClusterError):
            job.token().token()
    assert [one.headers.get("Authorization") for one in other.asked] == [None]


def test_through_a_proxy(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner's proxy variables are heeded."""
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with local_server() as proxy:
        proxy.answers = [Answer({}, 400)]
        monkeypatch.setenv("http_proxy", proxy.url)
        with pytest.raises(ClusterError):
            job.token(ACTIONS_ID_TOKEN_REQUEST_URL="http://ghe.example/_services/token").token()
        assert [one.path for one in proxy.asked] == ["http://ghe.example/_services/token?audience=recon-lab"]


def test_a_run_that_is_to_end_waits_no_more(issuer: FakeIssuer, job: Job) -> None:
    """Then the first failure is the last."""
    issuer.answers = [Answer({}, 503)] * 9
    source = JobToken(Source.of(issuer.variables, "a", str(issuer.authority)), job.mask, Patience(lambda _: True))
    with pytest.raises(ClusterError):
        source.token()
    assert len(issuer.asked) == 1


def test_remedy(issuer: FakeIssuer, job: Job) -> None:
    """It says what the token claims, as an issuer of an Enterprise Server too, and never the token."""
    issuer.claims["iss"] = "https://ghe.example/_services/token"
    source = job.token()
    assert "issuer (none)" in source.remedy()
    token = source.token()
    said = source.remedy()
    assert "issuer https://ghe.example/_services/token, audience recon-lab," in said
    assert "subject repo:acme/shop:ref:refs/heads/main" in said
    assert not any(part in said for part in token.split("."))


def test_several_audiences(issuer: FakeIssuer, job: Job) -> None:
    """A list is shown as one."""
    issuer.answers = [Answer({"value": issuer.mint(aud=["a", "b"])})]
    source = job.token()
    source.token()
    assert "audience a, b," in source.remedy()


@pytest.mark.parametrize("claims", [{"iat": None}, {"exp": "soon"}, {"iat": True}], ids=str)
def test_a_token_without_times(issuer: FakeIssuer, job: Job, claims: dict[str, Any]) -> None:
    """It is asked for anew each minute or so."""
    issuer.answers = [Answer({"value": issuer.mint(aud="a", **claims)})]
    source = job.token()
    source.token()
    job.now += 43
    source.token()
    assert len(issuer.asked) == 1
    job.now += 2
    source.token()
    assert len(issuer.asked) == 2
