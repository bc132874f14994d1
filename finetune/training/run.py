"""A training run from settings to adapter, which goes on where it was interrupted."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from csd.vectors.files import replace, sole_holder
from finetune.adapter import adapter_digest, save_adapter
from finetune.base import Base, find_base, load_weights
from finetune.quiet import quiet
from finetune.training import checkpoints
from finetune.training.arguments import arguments
from finetune.training.clock import Clock
from finetune.training.curve import write_curve
from finetune.training.errors import TrainingError
from finetune.training.lora import counts, with_adapter
from finetune.training.loss import completion_loss
from finetune.training.material import Material, prepare
from finetune.training.memory import enough_memory
from finetune.training.precision import Probe, probe
from finetune.training.records import (
    ADAPTER,
    BEGUN,
    CHECKPOINTS,
    LOCK,
    RUN,
    Asked,
    Begun,
    Ended,
    RunRecord,
    differing,
)
from finetune.training.separation import refuse_leaks
from finetune.training.settings import Settings, faults

if TYPE_CHECKING:
    from finetune.training.trainer import EchoTrainer, Listener

PACKAGES = ("torch", "transformers", "peft", "accelerate", "tokenizers", "safetensors")
"""Those on which the numbers of a run depend, beside the ones that the caller names."""

PROBED_ROWS = 1
"""Rows in the batch with which number types are tried."""

REDONE = ("settings.batches.tokens_at_once", "settings.checkpointing")
"""What may change when a run goes on: no result depends on it, but for rounding."""

Kind = TypeVar("Kind", Begun, RunRecord)


@dataclass(frozen=True, kw_only=True)
class Origin:
    """With what a run is made."""

    commit: str | None
    versions: Mapping[str, str]
    machine: Mapping[str, str | int]


def train(
    settings: Settings, data: Path, out: Path, *, origin: Origin, listener: Listener | None = None
) -> RunRecord:
    """Train an adapter, or go on where the run in `out` was interrupted.

    `out` gets what the run is (begun.json), the best adapter so far (adapter/), checkpoints while it lasts,
    and at the end the course of the loss (curve.csv, curve.png) and what it came to (run.json). Of a finished
    run, its record is returned and nothing done.

    Under `accelerate launch` or `torchrun`, each process calls this with the same arguments.

    Args:
        settings: what to do.
        data: folder with train.jsonl and validation.jsonl.
        out: absent, empty, or of the same run.
        origin: for the record.
        listener: is told of each step, in the first process.

    Raises:
        TrainingError: if settings and data cannot be trained with, the loss becomes no finite number, memory
            or disk do not suffice, `out` holds another run or a damaged checkpoint, or a run goes on there.
            The last whole checkpoint and the best adapter are kept.
        BaseError: if the base will not do.
        OSError: if a file cannot be read or written.
    """
    clock = Clock(None if settings.schedule.minutes is None else 60 * settings.schedule.minutes)
    told = arguments(settings, out)
    with told.main_process_first(local=False):
        base = find_base(settings.base)
    told.ddp_find_unused_parameters = base.vision
    material = prepare(settings, base, data)
    asked = Asked(
        settings=settings,
        base_digest=base.digest,
        template_sha256=hashlib.sha256(material.template.encode()).hexdigest(),
        train=material.train.data,
        validation=material.validation.data,
        processes=told.world_size,
    )
    before = _before(out, asked)
    _together()
    if isinstance(before, RunRecord):
        return before
    with _alone(out, told), enough_memory(settings, max(asked.train.longest, asked.validation.longest)):
        # Whoever held the folder until now may have begun or finished the run.
        before = _before(out, asked)
        _together()
        if isinstance(before, RunRecord):
            return before
        if before is not None:
            _refuse_damaged(out)
            begun = before.model_copy(update={"asked": asked})
            model = _model(settings, base, material, begun.number)
        else:
            probed = _probe(settings, base, material, told)
            model = _model(settings, base, material, _number(settings, probed, told))
            begun = Begun(
                asked=asked,
                **counts(model),
                number=str(model.dtype).removeprefix("torch."),
                probe=probed,
                commit=origin.commit,
                versions={**origin.versions, **{name: version(name) for name in PACKAGES}},
                machine=dict(origin.machine),
            )
        if told.process_index == 0:
            checkpoints.drop_broken(out / CHECKPOINTS)
            replace(out / BEGUN, _json(begun))
        _together()
        with quiet():
            trainer = _trainer(begun, base, material, model, clock, told, listener)
            ended = _run(trainer, begun, out)
    return RunRecord(begun=begun, ended=ended)


def read_run(out: Path) -> RunRecord:
    """Return the record of the finished run in `out`.

    Raises:
        TrainingError: if there is none, or it cannot be read.
    """
    record = _read(out / RUN, RunRecord)
    if record is None:
        raise TrainingError(f"expected a finished run in {out}; got no {RUN} there.")
    return record


def _before(out: Path, asked: Asked) -> Begun | RunRecord | None:
    """Return what is in `out` of the run that is asked for; None if nothing is.

    Raises:
        TrainingError: if it holds another run, or something else.
    """
    finished = _read(out / RUN, RunRecord)
    begun = finished.begun if finished is not None else _read(out / BEGUN, Begun)
    if begun is None:
        if out.exists() and not out.is_dir():
            raise TrainingError(f"expected a folder for the run; got the file {out}. Name another place.")
        held = sorted(each.name for each in out.iterdir() if each.name != LOCK) if out.is_dir() else []
        if held:
            raise TrainingError(
                f"expected a new or empty folder for the run, or one of a run; got {out}, which holds "
                f"{', '.join(held[:5])}. Name another folder."
            )
        return None
    changed = {name: each for name, each in differing(begun.asked, asked).items() if name not in REDONE}
    if changed:
        name, (old, new) = next(iter(changed.items()))
        raise TrainingError(
            f"expected in {out} the run that is asked for; it was begun with {name} {old}, now it is {new}"
            f"{f', and {len(changed) - 1} more differ' if len(changed) > 1 else ''}. Name another folder for "
            f"another run."
        )
    return finished or begun


@contextmanager
def _alone(out: Path, told: Any) -> Iterator[None]:
    """Hold the folder `out`, made if absent, for the run: its first process does so for all of them.

    The system frees it when that process ends, however it ends. Nothing stays behind in the folder of a
    finished run, nor of one that was refused before it began.

    Raises:
        TrainingError: in every process, if another run goes on there.
        OSError: if the folder cannot be made or written to.
    """
    from accelerate.utils import broadcast_object_list

    with ExitStack() as held:
        taken, made = True, not out.exists()
        if told.process_index == 0:
            out.mkdir(parents=True, exist_ok=True)
            taken = held.enter_context(sole_holder(out / LOCK))
        if not broadcast_object_list([taken])[0]:
            raise TrainingError(
                f"expected a folder in which nothing runs; got another run going on in {out}. Wait for it to "
                f"end, or name another folder."
            )
        try:
            yield
        finally:
            if told.process_index == 0:
                _let_go(out, made=made)


def _let_go(out: Path, *, made: bool) -> None:
    names = {each.name for each in out.iterdir()} if out.is_dir() else set()
    # A run that was interrupted keeps its lock's file: taken away, two might each hold one of their own.
    if RUN in names or names == {LOCK}:
        (out / LOCK).unlink(missing_ok=True)
    if names == {LOCK} and made:
        out.rmdir()


def _refuse_damaged(out: Path) -> None:
    checkpoint = checkpoints.newest(out / CHECKPOINTS)
    if checkpoint is not None:
        checkpoints.refuse_damaged(checkpoint)


def _model(settings: Settings, base: Base, material: Material, number: str) -> Any:
    model = with_adapter(
        load_weights(base, dtype=number), settings.adapter, seed=settings.seed, added=material.added
    )
    if settings.batches.packing:
        refuse_leaks(model, material.pad)
    return model


def _number(settings: Settings, probed: Probe | None, told: Any) -> str:
    import torch

    if settings.number != "auto":
        return settings.number
    if probed is not None:
        return probed.chosen
    return "bfloat16" if told.device.type == "cuda" and torch.cuda.is_bf16_supported() else "float32"


def _probe(settings: Settings, base: Base, material: Material, told: Any) -> Probe | None:
    """Try number types; only on one CPU, since several processes would disturb one another."""
    if settings.number != "auto" or told.device.type != "cpu" or told.world_size > 1:
        return None
    model = _model(settings, base, material, "auto")
    batch = material.collate(material.train.lines[:PROBED_ROWS])

    def loss_of(model: Any) -> Any:
        loss = completion_loss(model, batch)
        return loss.total / loss.tokens

    model.train()
    return probe(model, loss_of, whole=settings.adapter.number == "base")


def _trainer(
    begun: Begun,
    base: Base,
    material: Material,
    model: Any,
    clock: Clock,
    told: Any,
    listener: Listener | None,
) -> EchoTrainer:
    from finetune.training.trainer import EchoTrainer, Work

    out = Path(told.output_dir).parent
    settings = begun.asked.settings

    def keep() -> None:
        save_adapter(
            model,
            out / ADAPTER,
            base=base,
            texts=material.texts,
            added_tokens=settings.adapter.added_tokens,
        )

    return EchoTrainer(
        Work(
            settings=settings,
            clock=clock,
            keep=keep,
            listener=listener if told.process_index == 0 else None,
        ),
        model=model,
        args=told,
        train_dataset=material.train.lines,
        eval_dataset=material.validation.lines,
        data_collator=material.collate,
    )


def _run(trainer: EchoTrainer, begun: Begun, out: Path) -> Ended:
    """Train from the start or from the last checkpoint, and write what came of it."""
    trainer.go(checkpoints.newest(out / CHECKPOINTS))
    _together()
    ended = trainer.ended(adapter_digest(out / ADAPTER))
    if trainer.args.process_index == 0:
        write_curve(trainer.state.log_history, out)
        replace(out / RUN, _json(RunRecord(begun=begun, ended=ended)))
        shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
    return ended


def _together() -> None:
    """Wait until all processes of the run are here: what one writes, the others must not have looked for."""
    from accelerate import PartialState

    PartialState().wait_for_everyone()


def _json(record: Begun | RunRecord) -> bytes:
    return (record.model_dump_json(indent=2) + "\n").encode()


def _read(path: Path, kind: type[Kind]) -> Kind | None:
    if not path.is_file():
        return None
    try:
        return kind.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise TrainingError(
            f"expected the record of a run in {path}; got: {faults(error)}. Name another folder."
        ) from error
