"""Open items of a job by device: each device's queue is claimed on its own.

Revision ID: 0008
Revises: 0007
"""

from alembic import op


revision = '0008'
down_revision = '0007'
branch_labels = None
depends_on = None


def upgrade() -> None:

    op.drop_index('ix_job_item_status', 'job_item')
    op.create_index('ix_job_item_open', 'job_item', ['job_id', 'status', 'device', 'number'])


def downgrade() -> None:

    op.drop_index('ix_job_item_open', 'job_item')
    op.create_index('ix_job_item_status', 'job_item', ['job_id', 'status', 'number'])
