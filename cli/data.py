"""``eurisko db``: the database itself."""

import typer

from .output import Json, friendly, print_json

app_data_commands = typer.Typer(help="The knowledge base itself.", no_args_is_help=True)


@app_data_commands.command()
@friendly
def upgrade(as_json: Json = False) -> None:
    """Bring the schema of the knowledge base up to date."""
    from ..knowledge_base import KnowledgeBase
    from ..knowledge_base.engine import current_revision
    from ..knowledge_base.engine import upgrade as run_migrations
    from ..knowledge_base.errors import shown

    with KnowledgeBase(migrate=False) as base:
        before = current_revision(base.engine)
        run_migrations(base.engine)
        after = current_revision(base.engine)
        where = shown(base.url)
    if as_json:
        print_json({"database": where, "before": before, "after": after})
    else:
        typer.echo(f"{where}: schema {before or 'none'} → {after}")
