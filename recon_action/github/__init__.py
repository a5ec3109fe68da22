"""The only door to GitHub: the event's context, inputs, workflow commands and files.

Nothing here decides what a run does: `action` does, from what is read here.
"""
