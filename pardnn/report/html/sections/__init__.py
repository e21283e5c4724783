"""The parts of a report, one a file: each makes its HTML and packs the data that its script draws."""
