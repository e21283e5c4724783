"""What ran where and when, one trace format a file."""
