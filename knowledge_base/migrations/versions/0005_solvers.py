"""Created routing solvers and their uses.

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op


revision = '0005'
down_revision = '0004'
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')


def upgrade() -> None:

    op.create_table('solver',
    sa.Column('id', sa.String(length=80), nullable=False),
    sa.Column('digest', sa.String(length=64), nullable=False),
    sa.Column('problem', sa.String(length=64), nullable=False),
    sa.Column('type', sa.String(length=60), nullable=False),
    sa.Column('constraints', sa.Text(), nullable=False),
    sa.Column('fields', sa.Text(), nullable=False),
    sa.Column('format', sa.String(length=32), nullable=False),
    sa.Column('rounding', sa.String(length=32), nullable=False),
    sa.Column('objective', sa.JSON(), nullable=False),
    sa.Column('description', sa.JSON(), nullable=False),
    sa.Column('code', sa.Text(), nullable=False),
    sa.Column('checks', sa.JSON(), nullable=False),
    sa.Column('origin', sa.String(length=200), nullable=False),
    sa.Column('run_id', sa.String(length=64), nullable=True),
    sa.Column('parent_id', sa.String(length=80), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], ondelete='SET NULL'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('digest')
    )
    op.create_index('ix_solver_problem', 'solver', ['problem'])
    op.create_table('solver_use',
    sa.Column('id', BIG, autoincrement=True, nullable=False),
    sa.Column('solver_id', sa.String(length=80), nullable=False),
    sa.Column('instance', sa.String(length=64), nullable=False),
    sa.Column('name', sa.String(length=200), nullable=False),
    sa.Column('feasible', sa.Boolean(), nullable=False),
    sa.Column('values', sa.JSON(), nullable=False),
    sa.Column('seconds', sa.Double(), nullable=False),
    sa.Column('message', sa.Text(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['solver_id'], ['solver.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('ix_solver_use_solver', 'solver_use', ['solver_id'])


def downgrade() -> None:

    op.drop_table('solver_use')
    op.drop_table('solver')
