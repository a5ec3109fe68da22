"""The hidden first line of what we write on GitHub: whose it is, and how new.

Pure. A later run finds its predecessor's text by it and tells whether that is older. It stands on line 1, where no
limit cuts it off. Who wrote the text is not told here: a marker can be copied, so the author is checked as well.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from recon_action.github.hidden import hide, reveal

REPORT: Final = "report"  # the one comment that is kept current
PUSH: Final = "push"  # below a pull request: its merge was not applied
NEWS: Final = "news"  # a short one, as nobody hears of an edit
ISSUE: Final = "issue"  # the drift issue
ISSUE_NEWS: Final = "issue-news"  # the same below it
DUPLICATE: Final = "duplicate"  # an issue that was one too many

_TAG = "recon:v1"

_Text = TypeVar("_Text")


@dataclass(frozen=True, slots=True)
class Marker:
    """What a text is about, and when it was true.

    Args:
        target: of the run.
        kind: what sort of text it is.
        cluster: UID of the cluster, "" if the run did not come so far.
        head: SHA of the commit that it speaks of.
        digest: of the plan, "" without one.
        run: id of the workflow run; ids grow.
        attempt: of that run.
        sequence: when the run began to look, in milliseconds since 1970.
        drift: whether the cluster had moved.
        destructive: short hashes of the plan's destructive actions.
    """

    target: str
    kind: str = REPORT
    cluster: str = ""
    head: str = ""
    digest: str = ""
    run: int = 0
    attempt: int = 1
    sequence: int = 0
    drift: bool = False
    destructive: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The first line."""
        return hide(_TAG, self)

    def is_about_the_same(self, other: "Marker") -> bool:
        """Whether both belong to one text that is kept current; a cluster that is not known may be any."""
        is_same = (self.kind, self.target) == (other.kind, other.target)
        return is_same and (self.cluster == other.cluster or not (self.cluster and other.cluster))

    def is_newer(self, other: "Marker") -> bool:
        """Whether this tells of a later state than `other`.

        Of one commit, the later look at the cluster counts, also if an old run is run again. Of two commits, the
        later event's does: running an old one again doesn't make its commit the head.
        """
        if self.head == other.head:
            return (self.sequence, self.run, self.attempt) > (other.sequence, other.run, other.attempt)
        return (self.run, self.attempt, self.sequence) > (other.run, other.attempt, other.sequence)

    def after(self, other: "Marker") -> "Marker":
        """This, written in the place of `other`: of one commit, the last event that was about it is remembered."""
        if self.head != other.head or (self.run, self.attempt) >= (other.run, other.attempt):
            return self
        return replace(self, run=other.run, attempt=other.attempt)


def on_the_same(marker: Marker, marked: Iterable[tuple[_Text, Marker]]) -> list[tuple[_Text, Marker]]:
    """Those of `marked` that are about the same as `marker`; all of them have to be ours."""
    same = [(text, of) for text, of in marked if of.is_about_the_same(marker)]
    if not marker.cluster and len({of.cluster for _, of in same} - {""}) > 1:
        # The run came to no cluster, and several have a text: it is not known which of them it is about.
        same = [(text, of) for text, of in same if not of.cluster]
    return same


def read(text: str) -> Marker | None:
    """The marker on the first line of `text`; None without one, or with one that we would not have written."""
    return reveal(_TAG, Marker, text.split("\n", 1)[0])
