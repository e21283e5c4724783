"""What people read: tables and sentences from results. Nothing is computed here and nothing printed."""
