"""Plans for people: schedule and slack tables, exports, pictures, a page with a map."""

from .export import routes_csv, routes_json
from .page import map_page, render_page
from .picture import plot_routes
from .tables import Table, schedule_table, slack_table

__all__ = [
    "Table",
    "map_page",
    "plot_routes",
    "render_page",
    "routes_csv",
    "routes_json",
    "schedule_table",
    "slack_table",
]
