"""Sources that are no plain manifests: kustomizations are built, charts rendered, SOPS files decrypted.

The programs do it; here is decided what is handed to them, what they may reach, and where each object that comes out
comes from. What the objects mean is read from their text like any other file's.
"""
