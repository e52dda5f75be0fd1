"""Alembic's environment: Eurisko hands over an open connection and the tables."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=context.config.attributes["metadata"],
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
