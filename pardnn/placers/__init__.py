"""A placement put to use: devices back onto the graph file, the plan file, files that are whole or absent."""
