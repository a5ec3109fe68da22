"""Writes the payloads of events that tests read, and the part of GitHub's description that they are held to.

`python scripts/github_payloads.py` gets the two npm packages below (npm has to be there; both are under the MIT
licence, © Octokit contributors), keeps the schemas of the events that we know and one example or two of each.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from github_openapi import fetch, named, schema, schemas

DESCRIPTION = "@octokit/openapi-webhooks@12.1.0"
EXAMPLES = "@octokit/webhooks-examples@7.6.1"
FOLDER = Path(__file__).resolve().parent.parent / "tests" / "support" / "payloads"
# Event and action, as the description names them, and the example of it that is kept, by its place in the list.
EVENTS = {
    "issue-comment-created": ("issue_comment", 2),
    "merge-group-checks-requested": ("merge_group", 0),
    "pull-request-closed": ("pull_request", 3),
    "pull-request-labeled": ("pull_request", 8),
    "pull-request-opened": ("pull_request", 12),
    "push": ("push", 5),
    "repository-dispatch-sample.collected": ("repository_dispatch", 0),
    "workflow-dispatch": ("workflow_dispatch", 0),
    "workflow-run-completed": ("workflow_run", 1),
}


def described(whole: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of each event."""
    content = "application/json"
    events = {
        name: schema(whole["webhooks"][name]["post"]["requestBody"]["content"][content]["schema"]) for name in EVENTS
    }
    info = {"title": f"the part of {DESCRIPTION} that recon-action reads", "license": whole["info"]["license"]}
    return {"info": info, "events": events, "components": {"schemas": schemas(whole, named(events))}}


def chosen(all_examples: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The example of each event."""
    by_name = {one["name"]: one["examples"] for one in all_examples}
    info = {"title": f"some of {EXAMPLES}", "license": {"name": "MIT"}}
    return {"info": info, "examples": {event: by_name[name][number] for event, (name, number) in EVENTS.items()}}


def main() -> None:
    """Get, cut, write."""
    texts = {
        "schemas.json": described(fetch(DESCRIPTION, "package/generated/api.github.com.json")),
        "examples.json": chosen(fetch(EXAMPLES, "package/api.github.com/index.json")),
    }
    for name, document in texts.items():
        text = json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False)
        (FOLDER / name).write_text(f"{text}\n", encoding="utf-8")
        print(f"{FOLDER / name}: {len(text):,} characters")


if __name__ == "__main__":
    main()
