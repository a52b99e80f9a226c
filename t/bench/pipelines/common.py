"""What the counterparts in Python share."""
from collections import Counter
from datetime import datetime


def group(rows, key, value=lambda r: r):
    out = {}
    for r in rows:
        out.setdefault(key(r), []).append(value(r))
    return out


def counts(keys):
    return sorted([k, n] for k, n in Counter(keys).items())


def date(text):
    return datetime.fromisoformat(text.replace('Z', '+00:00'))
