"""Insights in the order in which they are shown.

Revision ID: 0007
Revises: 0006
"""

from alembic import op


revision = '0007'
down_revision = '0006'
branch_labels = None
depends_on = None


def upgrade() -> None:

    op.create_index('ix_insight_ranking', 'insight', ['pinned', 'effectiveness', 'support'])


def downgrade() -> None:

    op.drop_index('ix_insight_ranking', 'insight')
