"""Batch jobs.

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op


revision = '0006'
down_revision = '0005'
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')


def upgrade() -> None:

    op.create_table('job',
    sa.Column('id', sa.String(length=80), nullable=False),
    sa.Column('name', sa.String(length=60), nullable=False),
    sa.Column('spec', sa.JSON(), nullable=False),
    sa.Column('status', sa.String(length=16), nullable=False),
    sa.Column('version', sa.String(length=32), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('ix_job_created_at', 'job', ['created_at'])
    op.create_table('job_program',
    sa.Column('job_id', sa.String(length=80), nullable=False),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('hash', sa.String(length=64), nullable=False),
    sa.Column('label', sa.Text(), nullable=False),
    sa.Column('code', sa.Text(), nullable=False),
    sa.ForeignKeyConstraint(['job_id'], ['job.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('job_id', 'number')
    )
    op.create_table('job_item',
    sa.Column('id', BIG, autoincrement=True, nullable=False),
    sa.Column('job_id', sa.String(length=80), nullable=False),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('program', sa.Integer(), nullable=False),
    sa.Column('problem', sa.Text(), nullable=False),
    sa.Column('interface', sa.String(length=64), nullable=False),
    sa.Column('dataset', sa.String(length=200), nullable=False),
    sa.Column('path', sa.Text(), nullable=True),
    sa.Column('instances', sa.Integer(), nullable=False),
    sa.Column('seed', sa.BigInteger(), nullable=False),
    sa.Column('device', sa.String(length=32), nullable=False),
    sa.Column('identity', sa.String(length=64), nullable=False),
    sa.Column('status', sa.String(length=16), nullable=False),
    sa.Column('worker', sa.BigInteger(), nullable=True),
    sa.Column('attempts', sa.Integer(), nullable=False),
    sa.Column('message', sa.Text(), nullable=False),
    sa.ForeignKeyConstraint(['job_id'], ['job.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('job_id', 'number', name='uq_job_item_number')
    )
    op.create_index('ix_job_item_status', 'job_item', ['job_id', 'status', 'number'])
    op.create_index('ix_job_item_worker', 'job_item', ['worker'])
    op.create_table('job_worker',
    sa.Column('id', BIG, autoincrement=True, nullable=False),
    sa.Column('job_id', sa.String(length=80), nullable=False),
    sa.Column('machine', sa.String(length=64), nullable=False),
    sa.Column('process', sa.String(length=64), nullable=False),
    sa.Column('beat', sa.BigInteger(), nullable=False),
    sa.Column('started_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['job_id'], ['job.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('ix_job_worker_job', 'job_worker', ['job_id'])


def downgrade() -> None:

    op.drop_table('job_worker')
    op.drop_table('job_item')
    op.drop_table('job_program')
    op.drop_table('job')
