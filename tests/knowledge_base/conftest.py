"""Every test of the knowledge base runs on SQLite and on PostgreSQL."""

from collections.abc import Iterator

import pytest

from eurisko.knowledge_base import KnowledgeBase


@pytest.fixture
def base(each_url: str) -> Iterator[KnowledgeBase]:
    """An empty knowledge base, on each database in turn."""
    with KnowledgeBase(each_url) as opened:
        yield opened
