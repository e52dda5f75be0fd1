"""The tables, as SQLAlchemy 2 typed models.

Failures are rows like successes. Every row that a resumed run could write twice has a deterministic
key, and the unique constraint on it makes the second write a no-op.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from .columns import BigId, Cut, String, Text, UtcDateTime


def now() -> datetime:
    """Return the current instant in UTC."""
    return datetime.now(UTC)


class Base(DeclarativeBase):
    """The metadata of all tables."""


class Run(Base):
    """One run of a workflow, with its whole configuration and, at the end, its result."""

    __tablename__ = "run"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    workflow: Mapped[str] = mapped_column(String(32))
    problem: Mapped[str] = mapped_column(String(200))
    problem_version: Mapped[str] = mapped_column(String(32))
    interface: Mapped[str] = mapped_column(String(64))
    proposer: Mapped[str] = mapped_column(Cut(200))
    seed: Mapped[int] = mapped_column(BigInteger)
    config: Mapped[dict[str, Any]] = mapped_column(JSON)
    folder: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(String(16))
    """``running``, ``interrupted``, ``stopped`` (a budget ended it), ``finished`` or ``failed``."""
    status_reason: Mapped[str] = mapped_column(Text, default="")
    result: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None)
    version: Mapped[str] = mapped_column(String(32))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now, onupdate=now)

    __table_args__ = (Index("ix_run_created_at", "created_at"),)


class Candidate(Base):
    """A proposed program; ``key`` names the step of the run that asked for it."""

    __tablename__ = "candidate"

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"))
    key: Mapped[str] = mapped_column(String(64))
    generation: Mapped[int] = mapped_column(Integer)
    operator: Mapped[str] = mapped_column(String(32))
    slot: Mapped[int] = mapped_column(Integer)
    thought: Mapped[str] = mapped_column(Text, default="")
    code: Mapped[str] = mapped_column(Text, default="")
    hash: Mapped[str] = mapped_column(String(64), default="")
    genome: Mapped[str | None] = mapped_column(Text, default=None)
    proposal_error: Mapped[str | None] = mapped_column(Text, default=None)
    """Why there is no program: the proposer's answer could not be used."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)

    parents: Mapped[list["CandidateParent"]] = relationship(
        foreign_keys="CandidateParent.candidate_id",
        order_by="CandidateParent.position",
        lazy="selectin",
    )

    __table_args__ = (
        UniqueConstraint("run_id", "key", name="uq_candidate_run_key"),
        Index("ix_candidate_run_generation", "run_id", "generation"),
        Index("ix_candidate_hash", "hash"),
    )


class CandidateParent(Base):
    """The lineage: which candidates a candidate was made from, in order."""

    __tablename__ = "candidate_parent"

    candidate_id: Mapped[int] = mapped_column(
        ForeignKey("candidate.id", ondelete="CASCADE"), primary_key=True
    )
    position: Mapped[int] = mapped_column(Integer, primary_key=True)
    parent_id: Mapped[int] = mapped_column(ForeignKey("candidate.id", ondelete="CASCADE"))

    __table_args__ = (Index("ix_candidate_parent_parent_id", "parent_id"),)


class Evaluation(Base):
    """What one program did on one data set; ``identity`` makes it unique for ever."""

    __tablename__ = "evaluation"

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=True)
    identity: Mapped[str] = mapped_column(String(64), unique=True)
    """Digest of all that the result depends on; see :func:`~.store.evaluation_identity`."""
    program_hash: Mapped[str] = mapped_column(String(64))
    problem: Mapped[str] = mapped_column(String(200))
    problem_version: Mapped[str] = mapped_column(String(32))
    interface: Mapped[str] = mapped_column(String(64))
    dataset: Mapped[str] = mapped_column(Cut(200))
    dataset_digest: Mapped[str] = mapped_column(String(64))
    seed: Mapped[int] = mapped_column(BigInteger)
    device: Mapped[str] = mapped_column(String(32))
    limits: Mapped[str] = mapped_column(String(200))
    outcome: Mapped[str] = mapped_column(String(32))
    error_type: Mapped[str | None] = mapped_column(Cut(200), default=None)
    message: Mapped[str] = mapped_column(Text, default="")
    line: Mapped[int | None] = mapped_column(Integer, default=None)
    objective: Mapped[float | None] = mapped_column(default=None)
    gaps: Mapped[bytes | None] = mapped_column(LargeBinary, default=None)
    """Gap in % per instance, little-endian float64."""
    raw: Mapped[bytes | None] = mapped_column(LargeBinary, default=None)
    """The problem's own measure per instance, little-endian float64."""
    decisions: Mapped[bytes | None] = mapped_column(LargeBinary, default=None)
    """Sketch of what was decided, little-endian uint16; None in rows of older versions."""
    cpu_s: Mapped[float] = mapped_column(default=0.0)
    wall_s: Mapped[float] = mapped_column(default=0.0)
    peak_mib: Mapped[float] = mapped_column(default=0.0)
    isolation: Mapped[str] = mapped_column(Cut(200), default="")
    machine: Mapped[str] = mapped_column(String(64), default="")
    """Which machine measured the times: they are never taken over from another one."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)

    __table_args__ = (
        Index("ix_evaluation_program", "program_hash", "dataset_digest"),
        Index("ix_evaluation_ranking", "problem", "dataset_digest", "objective"),
    )


class ModelCall(Base):
    """One question to a language model and what came of it."""

    __tablename__ = "model_call"

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"))
    key: Mapped[str] = mapped_column(String(64))
    role: Mapped[str] = mapped_column(String(32))
    model: Mapped[str] = mapped_column(Cut(200))
    prompt_hash: Mapped[str] = mapped_column(String(64))
    request: Mapped[dict[str, Any]] = mapped_column(JSON)
    text: Mapped[str | None] = mapped_column(Text, default=None)
    finish_reason: Mapped[str | None] = mapped_column(Cut(32), default=None)
    prompt_tokens: Mapped[int] = mapped_column(Integer, default=0)
    completion_tokens: Mapped[int] = mapped_column(Integer, default=0)
    tokens_estimated: Mapped[bool] = mapped_column(default=False)
    """Nobody counted the tokens: they are estimated from the length of the texts."""
    usd: Mapped[float | None] = mapped_column(default=None)
    """Cost in US dollars; empty where the price is unknown."""
    latency_s: Mapped[float] = mapped_column(default=0.0)
    attempts: Mapped[int] = mapped_column(Integer, default=1)
    error: Mapped[str | None] = mapped_column(Text, default=None)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)

    __table_args__ = (Index("ix_model_call_run_key", "run_id", "key"),)


class Insight(Base):
    """A design principle and how it has done over all runs; ``digest`` makes it unique."""

    __tablename__ = "insight"

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    """Of kind, scope, place and normalised text."""
    kind: Mapped[str] = mapped_column(String(16))
    """``do`` or ``avoid``."""
    scope: Mapped[str] = mapped_column(String(16))
    """Where it holds: ``problem``, ``family`` or ``general``."""
    problem: Mapped[str] = mapped_column(String(200), default="")
    """The problem that it was learnt on; empty for seeds."""
    family: Mapped[str] = mapped_column(String(200), default="")
    text: Mapped[str] = mapped_column(Text)
    origin: Mapped[str] = mapped_column(String(16))
    """``seed``, ``extracted`` or ``imported``."""
    run_id: Mapped[str | None] = mapped_column(
        ForeignKey("run.id", ondelete="SET NULL"), default=None
    )
    support: Mapped[int] = mapped_column(Integer, default=1)
    """How often it was stated, paraphrases included."""
    uses: Mapped[int] = mapped_column(Integer, default=0)
    """How often a prompt that showed it was credited, over all runs."""
    effectiveness: Mapped[float] = mapped_column(default=0.0)
    """Moving average of its credit over all runs, from -1 to 1."""
    pinned: Mapped[bool] = mapped_column(default=False)
    retired: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now, onupdate=now)

    __table_args__ = (
        Index("ix_insight_place", "scope", "problem", "family"),
        Index("ix_insight_ranking", "pinned", "effectiveness", "support"),
    )


class InsightUse(Base):
    """An insight was shown in the prompt of a candidate, and later credited for its fate."""

    __tablename__ = "insight_use"

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"))
    candidate_id: Mapped[int] = mapped_column(ForeignKey("candidate.id", ondelete="CASCADE"))
    position: Mapped[int] = mapped_column(Integer)
    insight_id: Mapped[int] = mapped_column(ForeignKey("insight.id", ondelete="CASCADE"))
    step: Mapped[int] = mapped_column(Integer)
    regime: Mapped[str] = mapped_column(String(16), default="")
    credit: Mapped[float | None] = mapped_column(default=None)
    tier: Mapped[str] = mapped_column(String(16), default="")
    effectiveness: Mapped[float | None] = mapped_column(default=None)
    """The run's own moving average after this credit."""

    __table_args__ = (
        UniqueConstraint("candidate_id", "insight_id", name="uq_insight_use"),
        Index("ix_insight_use_insight", "insight_id"),
        Index("ix_insight_use_run", "run_id", "step"),
    )


class InsightEvent(Base):
    """What came of a stated insight at the gate of a run's pool; ``key`` names the statement."""

    __tablename__ = "insight_event"

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"))
    key: Mapped[str] = mapped_column(String(64))
    generation: Mapped[int] = mapped_column(Integer)
    step: Mapped[int] = mapped_column(Integer)
    verdict: Mapped[str] = mapped_column(String(16))
    """``seed``, ``inherited``, ``admitted``, ``duplicate``, ``paraphrase``, ``no room``, ``retired``
    or ``unreadable``."""
    insight_id: Mapped[int | None] = mapped_column(
        ForeignKey("insight.id", ondelete="SET NULL"), default=None
    )
    evicted_id: Mapped[int | None] = mapped_column(
        ForeignKey("insight.id", ondelete="SET NULL"), default=None
    )
    similarity: Mapped[float] = mapped_column(default=0.0)
    effectiveness: Mapped[float] = mapped_column(default=0.0)
    """With which it entered the pool."""
    text: Mapped[str] = mapped_column(Text, default="")
    """As it was stated, or why the statement could not be read."""

    __table_args__ = (UniqueConstraint("run_id", "key", name="uq_insight_event_run_key"),)


class NavigatorDecision(Base):
    """What a generation was told to do, and why."""

    __tablename__ = "navigator_decision"

    run_id: Mapped[str] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), primary_key=True)
    generation: Mapped[int] = mapped_column(Integer, primary_key=True)
    regime: Mapped[str] = mapped_column(String(16))
    directive: Mapped[str] = mapped_column(Text)
    rule: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str] = mapped_column(Text)
    numbers: Mapped[dict[str, Any]] = mapped_column(JSON)


class Study(Base):
    """What an optimisation run needs to go on, beside its trials."""

    __tablename__ = "study"

    run_id: Mapped[str] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str | None] = mapped_column(String(200), unique=True, default=None)
    """How other programs ask and tell; empty for runs that evaluate by themselves."""
    optimizer: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None)
    """State of the optimiser after its last suggestion, hyper-parameters of the last fit included."""
    memory: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    """What the strategist remembers after its last choice."""


class Trial(Base):
    """One suggested point of a study, why it was suggested, and what came of it."""

    __tablename__ = "trial"

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"))
    number: Mapped[int] = mapped_column(Integer)
    """From 1, in the order of the suggestions."""
    point: Mapped[dict[str, Any]] = mapped_column(JSON)
    phase: Mapped[str] = mapped_column(String(16))
    """``initial``, ``model``, or ``given`` (a result that the user brought along)."""
    arm: Mapped[str] = mapped_column(String(100), default="")
    source: Mapped[str] = mapped_column(String(16), default="")
    """Who chose the arm: ``rule``, ``bandit``, ``model`` or ``fallback``; empty without a choice."""
    reason: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None)
    """What the strategist saw."""
    notes: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    """What the optimiser says of the suggestion: fit, fallbacks, duplicates avoided."""
    predicted_mean: Mapped[float | None] = mapped_column(default=None)
    predicted_deviation: Mapped[float | None] = mapped_column(default=None)
    status: Mapped[str] = mapped_column(String(16), default="pending")
    """``pending``, ``done`` or ``failed``."""
    value: Mapped[float | None] = mapped_column(default=None)
    noise: Mapped[float | None] = mapped_column(default=None)
    """Known standard deviation of the value's noise."""
    message: Mapped[str] = mapped_column(Text, default="")
    """Why there is no value."""
    choice_s: Mapped[float] = mapped_column(default=0.0)
    """Wall-clock seconds of the choice and the suggestion."""
    evaluation_s: Mapped[float] = mapped_column(default=0.0)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now, onupdate=now)

    __table_args__ = (UniqueConstraint("run_id", "number", name="uq_trial_run_number"),)


class Job(Base):
    """A batch job: programs times data sets."""

    __tablename__ = "job"

    id: Mapped[str] = mapped_column(String(80), primary_key=True)
    name: Mapped[str] = mapped_column(String(60))
    spec: Mapped[dict[str, Any]] = mapped_column(JSON)
    status: Mapped[str] = mapped_column(String(16))
    """``open``, ``finished`` or ``cancelled``; whether somebody works on it, its workers say."""
    version: Mapped[str] = mapped_column(String(32))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now, onupdate=now)

    __table_args__ = (Index("ix_job_created_at", "created_at"),)


class JobProgram(Base):
    """A program of a job, as it was when the job was made."""

    __tablename__ = "job_program"

    job_id: Mapped[str] = mapped_column(ForeignKey("job.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    hash: Mapped[str] = mapped_column(String(64))
    label: Mapped[str] = mapped_column(Text)
    code: Mapped[str] = mapped_column(Text)


class JobItem(Base):
    """One evaluation that a job asks for; its result is the evaluation of this identity."""

    __tablename__ = "job_item"

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=True)
    job_id: Mapped[str] = mapped_column(ForeignKey("job.id", ondelete="CASCADE"))
    number: Mapped[int] = mapped_column(Integer)
    program: Mapped[int] = mapped_column(Integer)
    problem: Mapped[str] = mapped_column(Text)
    interface: Mapped[str] = mapped_column(String(64))
    dataset: Mapped[str] = mapped_column(String(200))
    path: Mapped[str | None] = mapped_column(Text, default=None)
    """Absolute path of the instance file; None for a data set that the problem brings along."""
    instances: Mapped[int] = mapped_column(Integer)
    seed: Mapped[int] = mapped_column(BigInteger)
    device: Mapped[str] = mapped_column(String(32))
    identity: Mapped[str] = mapped_column(String(64))
    status: Mapped[str] = mapped_column(String(16), default="pending")
    """``pending``, ``claimed``, ``done``, or ``failed`` for a fault that is not the program's."""
    worker: Mapped[int | None] = mapped_column(BigInteger, default=None)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    message: Mapped[str] = mapped_column(Text, default="")

    __table_args__ = (
        UniqueConstraint("job_id", "number", name="uq_job_item_number"),
        Index("ix_job_item_open", "job_id", "status", "device", "number"),
        Index("ix_job_item_worker", "worker"),
    )


class JobWorker(Base):
    """A coordinator at work on a job. It is alive while ``beat`` grows: no clock is compared."""

    __tablename__ = "job_worker"

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=True)
    job_id: Mapped[str] = mapped_column(ForeignKey("job.id", ondelete="CASCADE"))
    machine: Mapped[str] = mapped_column(String(64))
    process: Mapped[str] = mapped_column(String(64))
    """Process id and start, which tell on its own machine at once whether it still lives."""
    beat: Mapped[int] = mapped_column(BigInteger, default=0)
    started_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)

    __table_args__ = (Index("ix_job_worker_job", "job_id"),)


class Solver(Base):
    """A verified routing solver: what it solves, its program, and what proved it."""

    __tablename__ = "solver"

    id: Mapped[str] = mapped_column(String(80), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    """Of the program and of what it solves: a solver is stored once."""
    problem: Mapped[str] = mapped_column(String(64))
    """Digest of what it solves: rules, fields, format, rounding and objective."""
    type: Mapped[str] = mapped_column(String(60))
    constraints: Mapped[str] = mapped_column(Text)
    """Names of the rules, sorted, with commas between them."""
    fields: Mapped[str] = mapped_column(Text)
    """Names of the input fields, likewise."""
    format: Mapped[str] = mapped_column(String(32))
    rounding: Mapped[str] = mapped_column(String(32))
    objective: Mapped[list[Any]] = mapped_column(JSON)
    description: Mapped[dict[str, Any]] = mapped_column(JSON)
    code: Mapped[str] = mapped_column(Text)
    checks: Mapped[dict[str, Any]] = mapped_column(JSON)
    """What it passed when it was stored."""
    origin: Mapped[str] = mapped_column(String(200))
    """The model that wrote it, or ``file``, or how it was evolved."""
    run_id: Mapped[str | None] = mapped_column(
        ForeignKey("run.id", ondelete="SET NULL"), default=None
    )
    parent_id: Mapped[str | None] = mapped_column(String(80), default=None)
    """The solver that it was evolved from."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)

    __table_args__ = (Index("ix_solver_problem", "problem"),)


class SolverUse(Base):
    """One run of a stored solver on an instance, judged by the checker."""

    __tablename__ = "solver_use"

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=True)
    solver_id: Mapped[str] = mapped_column(ForeignKey("solver.id", ondelete="CASCADE"))
    instance: Mapped[str] = mapped_column(String(64))
    """SHA-256 of the instance file's text."""
    name: Mapped[str] = mapped_column(String(200))
    feasible: Mapped[bool]
    values: Mapped[list[float]] = mapped_column(JSON)
    """The objective's, recomputed; empty where there was no plan."""
    seconds: Mapped[float]
    message: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)

    __table_args__ = (Index("ix_solver_use_solver", "solver_id"),)
