"""What people ask about a graph or a plan, one question a file: figures from the pipeline, nothing printed."""
