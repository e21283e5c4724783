"""Proofs on real graph files: what the programs in scripts/ print at length and the tests here check in short."""
