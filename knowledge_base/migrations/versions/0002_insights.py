"""Insights, their uses and the gate's verdicts, and the navigator's decisions.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op


revision = '0002'
down_revision = '0001'
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')


def upgrade() -> None:

    op.create_table('insight',
    sa.Column('id', BIG, autoincrement=True, nullable=False),
    sa.Column('digest', sa.String(length=64), nullable=False),
    sa.Column('kind', sa.String(length=16), nullable=False),
    sa.Column('scope', sa.String(length=16), nullable=False),
    sa.Column('problem', sa.String(length=200), nullable=False),
    sa.Column('family', sa.String(length=200), nullable=False),
    sa.Column('text', sa.Text(), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('run_id', sa.String(length=64), nullable=True),
    sa.Column('support', sa.Integer(), nullable=False),
    sa.Column('uses', sa.Integer(), nullable=False),
    sa.Column('effectiveness', sa.Double(), nullable=False),
    sa.Column('pinned', sa.Boolean(), nullable=False),
    sa.Column('retired', sa.Boolean(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], ondelete='SET NULL'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('digest')
    )
    with op.batch_alter_table('insight', schema=None) as batch_op:
        batch_op.create_index('ix_insight_place', ['scope', 'problem', 'family'], unique=False)

    op.create_table('insight_use',
    sa.Column('id', BIG, autoincrement=True, nullable=False),
    sa.Column('run_id', sa.String(length=64), nullable=False),
    sa.Column('candidate_id', BIG, nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('insight_id', BIG, nullable=False),
    sa.Column('step', sa.Integer(), nullable=False),
    sa.Column('regime', sa.String(length=16), nullable=False),
    sa.Column('credit', sa.Double(), nullable=True),
    sa.Column('tier', sa.String(length=16), nullable=False),
    sa.Column('effectiveness', sa.Double(), nullable=True),
    sa.ForeignKeyConstraint(['candidate_id'], ['candidate.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['insight_id'], ['insight.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('candidate_id', 'insight_id', name='uq_insight_use')
    )
    with op.batch_alter_table('insight_use', schema=None) as batch_op:
        batch_op.create_index('ix_insight_use_insight', ['insight_id'], unique=False)
        batch_op.create_index('ix_insight_use_run', ['run_id', 'step'], unique=False)

    op.create_table('insight_event',
    sa.Column('id', BIG, autoincrement=True, nullable=False),
    sa.Column('run_id', sa.String(length=64), nullable=False),
    sa.Column('key', sa.String(length=64), nullable=False),
    sa.Column('generation', sa.Integer(), nullable=False),
    sa.Column('step', sa.Integer(), nullable=False),
    sa.Column('verdict', sa.String(length=16), nullable=False),
    sa.Column('insight_id', BIG, nullable=True),
    sa.Column('evicted_id', BIG, nullable=True),
    sa.Column('similarity', sa.Double(), nullable=False),
    sa.Column('effectiveness', sa.Double(), nullable=False),
    sa.Column('text', sa.Text(), nullable=False),
    sa.ForeignKeyConstraint(['evicted_id'], ['insight.id'], ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['insight_id'], ['insight.id'], ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('run_id', 'key', name='uq_insight_event_run_key')
    )

    op.create_table('navigator_decision',
    sa.Column('run_id', sa.String(length=64), nullable=False),
    sa.Column('generation', sa.Integer(), nullable=False),
    sa.Column('regime', sa.String(length=16), nullable=False),
    sa.Column('directive', sa.Text(), nullable=False),
    sa.Column('rule', sa.String(length=16), nullable=False),
    sa.Column('reason', sa.Text(), nullable=False),
    sa.Column('numbers', sa.JSON(), nullable=False),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('run_id', 'generation')
    )


def downgrade() -> None:

    op.drop_table('navigator_decision')
    op.drop_table('insight_event')
    with op.batch_alter_table('insight_use', schema=None) as batch_op:
        batch_op.drop_index('ix_insight_use_run')
        batch_op.drop_index('ix_insight_use_insight')

    op.drop_table('insight_use')
    with op.batch_alter_table('insight', schema=None) as batch_op:
        batch_op.drop_index('ix_insight_place')

    op.drop_table('insight')
