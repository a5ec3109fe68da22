"""Frozen data that travels between the parts, and the inventory's codec.

Nothing here does I/O, reads a clock or an environment, or decides anything.
`Body` is a Kubernetes object as JSON: dicts, lists, str, int, float, bool, None.
"""

from recon_action.model.amendment import Amendment, AmendmentKind
from recon_action.model.bearer import Bearer
from recon_action.model.capabilities import Capabilities, Resource
from recon_action.model.change import (
    ABSENT,
    Bucket,
    Cause,
    DriftKind,
    FieldChange,
    ObjectDrift,
    Severity,
    Verdict,
)
from recon_action.model.digest import Approved, Digest
from recon_action.model.directives import NO_DIRECTIVES, Directives
from recon_action.model.epoch import Epoch
from recon_action.model.handover import Handover
from recon_action.model.inventory import Correction, Inventory, Member
from recon_action.model.live import LiveObject, ManagedEntry
from recon_action.model.manifest import Desired, Manifest, Origin, Position, Revision, Skipped
from recon_action.model.path import FieldPath, Item, ItemKey, ItemValue
from recon_action.model.pattern import FieldPattern
from recon_action.model.plan import Action, ActionKind, Outcome, Result, Stage
from recon_action.model.problem import Problem, Trouble
from recon_action.model.progress import Progress, Quiet
from recon_action.model.ref import Body, ObjectRef, ref_of
from recon_action.model.rules import IgnoreRule, Match, RedactRule
from recon_action.model.settings import Access, AdditiveMode, Limit, Mode, Output, ReportFile, Settings
from recon_action.model.sources import AskTarget, ChartSettings, RenderTarget, SourceSettings

__all__ = [
    "ABSENT",
    "NO_DIRECTIVES",
    "Access",
    "Action",
    "ActionKind",
    "AdditiveMode",
    "Amendment",
    "AmendmentKind",
    "Approved",
    "AskTarget",
    "Bearer",
    "Body",
    "Bucket",
    "Capabilities",
    "Cause",
    "ChartSettings",
    "Correction",
    "Desired",
    "Digest",
    "Directives",
    "DriftKind",
    "Epoch",
    "FieldChange",
    "FieldPath",
    "FieldPattern",
    "Handover",
    "IgnoreRule",
    "Inventory",
    "Item",
    "ItemKey",
    "ItemValue",
    "Limit",
    "LiveObject",
    "ManagedEntry",
    "Manifest",
    "Match",
    "Member",
    "Mode",
    "ObjectDrift",
    "ObjectRef",
    "Origin",
    "Outcome",
    "Output",
    "Position",
    "Problem",
    "Progress",
    "Quiet",
    "RedactRule",
    "RenderTarget",
    "ReportFile",
    "Resource",
    "Result",
    "Revision",
    "Settings",
    "Severity",
    "Skipped",
    "SourceSettings",
    "Stage",
    "Trouble",
    "Verdict",
    "ref_of",
]
