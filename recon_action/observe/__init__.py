"""Cluster to snapshot: inventory, lists, look-ups, server predictions. Decides nothing, writes nothing."""

from recon_action.observe.autoscalers import read_autoscalers
from recon_action.observe.claims import read_claims
from recon_action.observe.elsewhere import answered_elsewhere, sent_elsewhere
from recon_action.observe.epoch import read_epoch
from recon_action.observe.inventory import Labelled, cluster_uid, read_inventory, read_labelled
from recon_action.observe.local import predict_as_allowed
from recon_action.observe.predict import Prediction, predict
from recon_action.observe.snapshot import Snapshot, snapshot

__all__ = [
    "Labelled",
    "Prediction",
    "Snapshot",
    "answered_elsewhere",
    "cluster_uid",
    "predict",
    "predict_as_allowed",
    "read_autoscalers",
    "read_claims",
    "read_epoch",
    "read_inventory",
    "read_labelled",
    "sent_elsewhere",
    "snapshot",
]
