"""The model gateway: every call to a language model goes through here."""

from .budget import Budget
from .errors import BudgetExhausted, ModelError, UnknownModel
from .gateway import ModelGateway
from .opening import open_gateway
from .recording import RecordedCall, read_recording, write_recording
from .store import MemoryStore
from .types import CallStore, Message, ModelReply, ModelRequest, Provider
from .usage import RoleUsage, Usage

__all__ = [
    "Budget",
    "BudgetExhausted",
    "CallStore",
    "MemoryStore",
    "Message",
    "ModelError",
    "ModelGateway",
    "ModelReply",
    "ModelRequest",
    "Provider",
    "RecordedCall",
    "RoleUsage",
    "UnknownModel",
    "Usage",
    "open_gateway",
    "read_recording",
    "write_recording",
]
