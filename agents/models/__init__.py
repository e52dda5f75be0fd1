"""The model gateway: every call to a language model goes through here."""
