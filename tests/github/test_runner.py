"""Log, summary and outputs, as a strict runner understands them."""

import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from fake_runner import FakeRunner

from recon_action.errors import PublishError
from recon_action.github.commands import Annotation, Level
from recon_action.github.runner import SUMMARY_BUDGET, Runner, random_token

ATTACK = "::error::pwned\n##[set-output name=result]in-sync\n  ::add-mask::a\n::stop-commands::x\n::x::\n"


@pytest.fixture
def fake(tmp_path: Path) -> FakeRunner:
    return FakeRunner(tmp_path)


def runner_on(fake: FakeRunner, log: io.StringIO) -> Runner:
    numbers: Iterator[int] = count()
    return Runner.of(fake.environ("push"), log, lambda: f"token-{next(numbers)}")


def test_foreign_text_is_not_obeyed(fake: FakeRunner) -> None:
    """Commands in a manifest stay text, and ours before and after it work."""

    def work(log: io.StringIO) -> None:
        runner = runner_on(fake, log)
        runner.mask(["hunter2"])
        with runner.foreign():
            runner.say(ATTACK + "unfinished")
        runner.annotate([Annotation(Level.NOTICE, "after")])

    step = fake.step(work)
    assert [command.name for command in step.commands] == ["add-mask", "stop-commands", "notice"]
    assert step.errors == ()
    assert "::error::pwned" in step.log


def test_a_mask_amid_foreign_text(fake: FakeRunner) -> None:
    """It is obeyed there as well, and what comes after it is as foreign as before, under another token."""

    def work(log: io.StringIO) -> None:
        runner = runner_on(fake, log)
        with runner.foreign():
            runner.say(ATTACK)
            runner.mask(["hunter2"])
            runner.say(f"{ATTACK}::token-0::\n::error::again hunter2")
        runner.annotate([Annotation(Level.NOTICE, "after")])

    step = fake.step(work)
    assert [one.name for one in step.commands] == ["stop-commands", "add-mask", "stop-commands", "notice"]
    assert step.errors == ()
    assert "::error::again ***" in step.log


def test_lines_of_threads_stay_foreign(fake: FakeRunner) -> None:
    """While one masks what it got, no line of another is obeyed."""

    def work(log: io.StringIO) -> None:
        runner = runner_on(fake, log)
        with runner.foreign(), ThreadPoolExecutor(8) as threads:
            for number in range(200):
                threads.submit(runner.say, "::error::pwned")
                threads.submit(runner.mask, [f"secret-{number}"])

    step = fake.step(work)
    assert {one.name for one in step.commands} == {"stop-commands", "add-mask"}
    assert (len(step.named("add-mask")), step.log.count("::error::pwned")) == (200, 200)
    assert step.errors == ()


def test_commands_resume_after_a_failure(fake: FakeRunner) -> None:
    """Whatever happens within, the runner listens again."""

    def work(log: io.StringIO) -> None:
        runner = runner_on(fake, log)
        with suppress(RuntimeError), runner.group("run"):
            raise RuntimeError
        runner.annotate([Annotation(Level.ERROR, "stopped")])

    step = fake.step(work)
    assert [command.name for command in step.commands] == ["group", "stop-commands", "endgroup", "error"]
    assert step.errors == ()


def test_text_that_ends_within_a_line(fake: FakeRunner) -> None:
    """The resume token stands on its own line even then."""

    def work(log: io.StringIO) -> None:
        with runner_on(fake, log).foreign():
            log.write("no line end")

    assert fake.step(work).errors == ()


def test_tokens_differ() -> None:
    """Nobody can guess the next from the last."""
    tokens = {random_token() for _ in range(8)}
    assert len(tokens) == 8
    assert all(len(token) > 32 for token in tokens)


def test_most_severe_annotations_first_ten_of_each(fake: FakeRunner) -> None:
    """Of 12 errors and 11 notices ten of each are shown, errors first, and the rest is counted."""
    annotations = [Annotation(Level.NOTICE, f"n{number}") for number in range(11)]
    annotations += [Annotation(Level.ERROR, f"e{number}") for number in range(12)]
    step = fake.step(lambda log: runner_on(fake, log).annotate(annotations))
    assert step.result == 3
    assert [issue.data for issue in step.issues] == [f"e{n}" for n in range(10)] + [f"n{n}" for n in range(10)]
    assert len(step.commands) == 20


def test_summary_is_appended(fake: FakeRunner) -> None:
    """What is there stays, also if it did not end its line."""
    fake.file("GITHUB_STEP_SUMMARY").write_text("before")
    step = fake.step(lambda log: runner_on(fake, log).summarize("### after"))
    assert step.summary == "before\n### after\n"


def test_summary_room_counts_what_is_there(fake: FakeRunner) -> None:
    """The runner counts the whole file, so we do."""
    runner = runner_on(fake, io.StringIO())
    assert runner.summary_room == SUMMARY_BUDGET - 1
    fake.file("GITHUB_STEP_SUMMARY").write_bytes(b"x" * 900_000)
    assert runner.summary_room == SUMMARY_BUDGET - 900_001


@pytest.mark.parametrize("there", ["", "x" * 900_000, "x" * 999_000], ids=["empty", "much there", "nearly full"])
def test_a_summary_of_the_room_fits(fake: FakeRunner, there: str) -> None:
    """A text as long as the room says is kept by the runner, together with what was there."""
    fake.file("GITHUB_STEP_SUMMARY").write_text(there)

    def work(log: io.StringIO) -> None:
        runner = runner_on(fake, log)
        runner.summarize("é" * (runner.summary_room // 2 - 1))

    step = fake.step(work)
    assert step.errors == ()
    assert step.summary.startswith(there)
    assert "é" in step.summary


def test_summary_that_does_not_fit_is_not_written(fake: FakeRunner) -> None:
    """Written, it would take everything else with it."""
    fake.file("GITHUB_STEP_SUMMARY").write_bytes(b"x" * 999_990)
    with pytest.raises(PublishError, match="room for 9 bytes"):
        runner_on(fake, io.StringIO()).summarize("y" * 100)
    assert fake.read("").summary == "x" * 999_990


def test_outputs(fake: FakeRunner) -> None:
    """Values of any shape arrive as they are, beside what an earlier write left without a line end."""
    fake.file("GITHUB_OUTPUT").write_text("earlier=1")
    values = {"result": "in-sync", "tricky": "a=b\nc<<EOF\nEOF\n\r\n", "empty": ""}
    step = fake.step(lambda log: runner_on(fake, log).output(values))
    assert step.outputs == {"earlier": "1", **values}
    assert step.errors == ()


def test_no_files_no_writing(tmp_path: Path) -> None:
    """Outside of a workflow outputs and summary go nowhere, without a fuss."""
    runner = Runner.of({}, io.StringIO())
    runner.output({"result": "in-sync"})
    runner.summarize("x")
    assert list(tmp_path.iterdir()) == []


def test_unwritable_file(fake: FakeRunner) -> None:
    """A file that can't be written is told as what it is."""
    environ = fake.environ("push", GITHUB_OUTPUT=str(fake.root))
    with pytest.raises(PublishError, match="can't be written"):
        Runner.of(environ, io.StringIO()).output({"a": "b"})
