"""The published results: a table of experiments, their measurements, the page that shows both."""
