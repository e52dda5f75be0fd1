"""Studies and their trials.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op


revision = '0004'
down_revision = '0003'
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')


def upgrade() -> None:

    op.create_table('study',
    sa.Column('run_id', sa.String(length=64), nullable=False),
    sa.Column('name', sa.String(length=200), nullable=True),
    sa.Column('optimizer', sa.JSON(), nullable=True),
    sa.Column('memory', sa.JSON(), nullable=False),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('run_id'),
    sa.UniqueConstraint('name')
    )
    op.create_table('trial',
    sa.Column('id', BIG, autoincrement=True, nullable=False),
    sa.Column('run_id', sa.String(length=64), nullable=False),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('point', sa.JSON(), nullable=False),
    sa.Column('phase', sa.String(length=16), nullable=False),
    sa.Column('arm', sa.String(length=100), nullable=False),
    sa.Column('source', sa.String(length=16), nullable=False),
    sa.Column('reason', sa.Text(), nullable=False),
    sa.Column('state', sa.JSON(), nullable=True),
    sa.Column('notes', sa.JSON(), nullable=False),
    sa.Column('predicted_mean', sa.Double(), nullable=True),
    sa.Column('predicted_deviation', sa.Double(), nullable=True),
    sa.Column('status', sa.String(length=16), nullable=False),
    sa.Column('value', sa.Double(), nullable=True),
    sa.Column('noise', sa.Double(), nullable=True),
    sa.Column('message', sa.Text(), nullable=False),
    sa.Column('choice_s', sa.Double(), nullable=False),
    sa.Column('evaluation_s', sa.Double(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('run_id', 'number', name='uq_trial_run_number')
    )


def downgrade() -> None:

    op.drop_table('trial')
    op.drop_table('study')
