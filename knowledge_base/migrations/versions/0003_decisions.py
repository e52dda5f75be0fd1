"""A sketch of what a program decided, for the distance between programs.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op


revision = '0003'
down_revision = '0002'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('evaluation', sa.Column('decisions', sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table('evaluation', schema=None) as batch_op:
        batch_op.drop_column('decisions')
