"""Pure decisions: what is meant, what differs, who moved, what is to be done, what is healthy.

Manifests and observed objects in, verdicts and plans out. No I/O, no clock, no environment: what the
server has to be asked is asked by `observe` and handed in.
"""
