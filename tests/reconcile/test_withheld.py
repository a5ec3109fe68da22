"""An object that stays encrypted is passed over, and what was encrypted is secret on either side."""

from dataclasses import replace

from objects import body_of, manifest_of

from recon_action.analyze.resolve import Resolved
from recon_action.model import Desired, FieldPath, FieldPattern, Match, RedactRule, Settings
from recon_action.reconcile.annotations import read_annotations
from recon_action.reconcile.reporting import rules_of
from recon_action.redact import is_secret_path


def test_a_withheld_object_is_left_alone() -> None:
    """With its reason, whatever its annotations say; of others only the annotations count."""
    held = replace(manifest_of(body_of(name="held"), line=1), withheld="encrypted")
    other = manifest_of(body_of(name="other"), line=1)
    manifests = {one.ref: one for one in (held, other)}
    asked = read_annotations(Desired((held, other)), Resolved(manifests, {}))
    assert {ref.name: one.directives.skip for ref, one in asked.items()} == {"held": "encrypted"}


def test_what_was_encrypted_has_a_rule_of_its_own() -> None:
    """For that object's field alone; its name is no glob."""
    manifest = manifest_of(body_of(name="a[b]*"), line=1)
    secret = (FieldPattern("data/token", ("data", "token")),)
    own = RedactRule(Match(kind="Widget"), ())
    rules = rules_of(
        Desired((replace(manifest, secret=secret), manifest_of(body_of(), line=1))), Settings((), redact=(own,))
    )
    assert len(rules) == 2
    assert is_secret_path(manifest.ref, FieldPath(("data", "token")), rules)
    assert not is_secret_path(manifest.ref, FieldPath(("data", "color")), rules)
    assert not is_secret_path(replace(manifest.ref, name="ab"), FieldPath(("data", "token")), rules)
