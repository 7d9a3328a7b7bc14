"""A section that is still to be written."""

from ffn_ui import layout
from ffn_ui.routing import require_router

require_router()

layout.open_page("To be written.")
