"""Runs, candidates, evaluations and model calls.

Revision ID: 0001
Revises: 
"""

import sqlalchemy as sa
from alembic import op


revision = '0001'
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:

    op.create_table('evaluation',
    sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=True, nullable=False),
    sa.Column('identity', sa.String(length=64), nullable=False),
    sa.Column('program_hash', sa.String(length=64), nullable=False),
    sa.Column('problem', sa.String(length=200), nullable=False),
    sa.Column('problem_version', sa.String(length=32), nullable=False),
    sa.Column('interface', sa.String(length=64), nullable=False),
    sa.Column('dataset', sa.String(length=200), nullable=False),
    sa.Column('dataset_digest', sa.String(length=64), nullable=False),
    sa.Column('seed', sa.BigInteger(), nullable=False),
    sa.Column('device', sa.String(length=32), nullable=False),
    sa.Column('limits', sa.String(length=200), nullable=False),
    sa.Column('outcome', sa.String(length=32), nullable=False),
    sa.Column('error_type', sa.String(length=200), nullable=True),
    sa.Column('message', sa.Text(), nullable=False),
    sa.Column('line', sa.Integer(), nullable=True),
    sa.Column('objective', sa.Double(), nullable=True),
    sa.Column('gaps', sa.LargeBinary(), nullable=True),
    sa.Column('raw', sa.LargeBinary(), nullable=True),
    sa.Column('cpu_s', sa.Double(), nullable=False),
    sa.Column('wall_s', sa.Double(), nullable=False),
    sa.Column('peak_mib', sa.Double(), nullable=False),
    sa.Column('isolation', sa.String(length=200), nullable=False),
    sa.Column('machine', sa.String(length=64), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('identity')
    )
    with op.batch_alter_table('evaluation', schema=None) as batch_op:
        batch_op.create_index('ix_evaluation_program', ['program_hash', 'dataset_digest'], unique=False)
        batch_op.create_index('ix_evaluation_ranking', ['problem', 'dataset_digest', 'objective'], unique=False)

    op.create_table('run',
    sa.Column('id', sa.String(length=64), nullable=False),
    sa.Column('workflow', sa.String(length=32), nullable=False),
    sa.Column('problem', sa.String(length=200), nullable=False),
    sa.Column('problem_version', sa.String(length=32), nullable=False),
    sa.Column('interface', sa.String(length=64), nullable=False),
    sa.Column('proposer', sa.String(length=200), nullable=False),
    sa.Column('seed', sa.BigInteger(), nullable=False),
    sa.Column('config', sa.JSON(), nullable=False),
    sa.Column('folder', sa.Text(), nullable=False),
    sa.Column('status', sa.String(length=16), nullable=False),
    sa.Column('status_reason', sa.Text(), nullable=False),
    sa.Column('result', sa.JSON(), nullable=True),
    sa.Column('version', sa.String(length=32), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('run', schema=None) as batch_op:
        batch_op.create_index('ix_run_created_at', ['created_at'], unique=False)

    op.create_table('candidate',
    sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=True, nullable=False),
    sa.Column('run_id', sa.String(length=64), nullable=False),
    sa.Column('key', sa.String(length=64), nullable=False),
    sa.Column('generation', sa.Integer(), nullable=False),
    sa.Column('operator', sa.String(length=32), nullable=False),
    sa.Column('slot', sa.Integer(), nullable=False),
    sa.Column('thought', sa.Text(), nullable=False),
    sa.Column('code', sa.Text(), nullable=False),
    sa.Column('hash', sa.String(length=64), nullable=False),
    sa.Column('genome', sa.Text(), nullable=True),
    sa.Column('proposal_error', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('run_id', 'key', name='uq_candidate_run_key')
    )
    with op.batch_alter_table('candidate', schema=None) as batch_op:
        batch_op.create_index('ix_candidate_hash', ['hash'], unique=False)
        batch_op.create_index('ix_candidate_run_generation', ['run_id', 'generation'], unique=False)

    op.create_table('model_call',
    sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=True, nullable=False),
    sa.Column('run_id', sa.String(length=64), nullable=False),
    sa.Column('key', sa.String(length=64), nullable=False),
    sa.Column('role', sa.String(length=32), nullable=False),
    sa.Column('model', sa.String(length=200), nullable=False),
    sa.Column('prompt_hash', sa.String(length=64), nullable=False),
    sa.Column('request', sa.JSON(), nullable=False),
    sa.Column('text', sa.Text(), nullable=True),
    sa.Column('finish_reason', sa.String(length=32), nullable=True),
    sa.Column('prompt_tokens', sa.Integer(), nullable=False),
    sa.Column('completion_tokens', sa.Integer(), nullable=False),
    sa.Column('tokens_estimated', sa.Boolean(), nullable=False),
    sa.Column('usd', sa.Double(), nullable=True),
    sa.Column('latency_s', sa.Double(), nullable=False),
    sa.Column('attempts', sa.Integer(), nullable=False),
    sa.Column('error', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('model_call', schema=None) as batch_op:
        batch_op.create_index('ix_model_call_run_key', ['run_id', 'key'], unique=False)

    op.create_table('candidate_parent',
    sa.Column('candidate_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('parent_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
    sa.ForeignKeyConstraint(['candidate_id'], ['candidate.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['parent_id'], ['candidate.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('candidate_id', 'position')
    )
    with op.batch_alter_table('candidate_parent', schema=None) as batch_op:
        batch_op.create_index('ix_candidate_parent_parent_id', ['parent_id'], unique=False)




def downgrade() -> None:

    with op.batch_alter_table('candidate_parent', schema=None) as batch_op:
        batch_op.drop_index('ix_candidate_parent_parent_id')

    op.drop_table('candidate_parent')
    with op.batch_alter_table('model_call', schema=None) as batch_op:
        batch_op.drop_index('ix_model_call_run_key')

    op.drop_table('model_call')
    with op.batch_alter_table('candidate', schema=None) as batch_op:
        batch_op.drop_index('ix_candidate_run_generation')
        batch_op.drop_index('ix_candidate_hash')

    op.drop_table('candidate')
    with op.batch_alter_table('run', schema=None) as batch_op:
        batch_op.drop_index('ix_run_created_at')

    op.drop_table('run')
    with op.batch_alter_table('evaluation', schema=None) as batch_op:
        batch_op.drop_index('ix_evaluation_ranking')
        batch_op.drop_index('ix_evaluation_program')

    op.drop_table('evaluation')

