"""Results as one HTML file that needs nothing but a browser: no network, no other file."""
