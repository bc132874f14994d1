"""The trainer of transformers, with our loss, learning rate, batches and checkpoints.

Imports torch and transformers: to be imported where training begins, not before.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import torch
from accelerate.utils import broadcast_object_list
from peft import get_peft_model_state_dict, set_peft_model_state_dict
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch.utils.data import DataLoader
from transformers.trainer_callback import PrinterCallback, ProgressCallback

from finetune.training import checkpoints
from finetune.training.batches import Batches
from finetune.training.clock import Clock, rate
from finetune.training.collating import PARTS, PLACES, Line, PartsCollator
from finetune.training.encoding import IGNORED
from finetune.training.errors import TrainingError
from finetune.training.loss import completion_loss
from finetune.training.records import Ended, Stopped
from finetune.training.settings import Settings

if TYPE_CHECKING:

    class Trainer:
        """What is used of transformers' trainer, which types are not checked of."""

        args: Any
        state: Any
        control: Any
        model: Any
        optimizer: Any
        lr_scheduler: Any
        accelerator: Any
        callback_handler: Any
        train_dataset: Any
        eval_dataset: Any
        data_collator: Any
        model_accepts_loss_kwargs: bool

        remove_callback: Callable[[Any], None]
        add_callback: Callable[[Any], None]
        log: Callable[..., None]
        get_batch_samples: Callable[..., tuple[list[Any], Any]]
        training_step: Callable[..., Any]
        train: Callable[..., Any]

        def __init__(self, **told: Any) -> None: ...
        def _prepare_inputs(self, inputs: Any) -> Any: ...
        def _save_checkpoint(self, model: Any, trial: Any) -> None: ...

    class TrainerCallback:
        """What transformers tells of a run."""

else:
    from transformers import Trainer, TrainerCallback

WEIGHTS = "adapter_model.safetensors"

GONE = ("no such file", "does not exist")
"""How torch and safetensors say that a folder is not there."""


class Listener(Protocol):
    """Whoever watches a run."""

    def stepped(self, step: int, of: int, loss: float, seconds: float) -> None:
        """A step was made, with this mean loss, `seconds` after the start."""

    def looked(self, step: int, loss: float, best: bool) -> None:
        """The validation rows have this mean loss; whether it is the lowest so far."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """What a trainer works with."""

    settings: Settings
    clock: Clock
    keep: Callable[[], None]
    """Keeps the adapter as the best one so far; may raise OSError."""
    listener: Listener | None


class EchoTrainer(Trainer):
    """Trains an adapter on answers; the checkpoint of the lowest validation loss is kept apart."""

    def __init__(self, work: Work, **told: Any) -> None:
        """Prepare.

        Args:
            work: what to work with.
            told: for transformers' trainer: its data are `Line`s, its collator makes a part of a batch.
        """
        super().__init__(**told)
        self.work = work
        # Then the trainer leaves it to us what the loss is divided by.
        self.model_accepts_loss_kwargs = True
        self._step_places: list[int] = []
        self.stopped: Stopped = "steps"
        schedule = work.settings.batches
        self.batches = Batches(
            [line.length for line in self.train_dataset],
            schedule.rows,
            seed=work.settings.seed,
            by_length=schedule.by_length,
        )
        self.data_collator = PartsCollator(collate=self.data_collator, most_tokens=schedule.tokens_at_once)
        for noisy in (PrinterCallback, ProgressCallback):
            self.remove_callback(noisy)
        self.add_callback(_Course(self))

    @property
    def validation_losses(self) -> list[float]:
        """All that were measured, in their order, before an interruption too."""
        return [each["eval_loss"] for each in self.state.log_history if "eval_loss" in each]

    def go(self, checkpoint: Path | None) -> None:
        """Train from the start, which the untrained model is measured for, or from a checkpoint."""
        self.args.eval_on_start = checkpoint is None
        self.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))

    def ended(self, adapter: str) -> Ended:
        """Return what the run came to, with the digest of the adapter that was kept."""
        losses = [each for each in self.state.log_history if "eval_loss" in each]
        best = min(losses, key=lambda each: (each["eval_loss"], each["step"]))
        return Ended(
            stopped=self.stopped,
            steps=self.state.global_step,
            epochs=round(self.state.epoch, 4),
            seconds=losses[-1]["seconds"],
            best_step=best["step"],
            best_loss=best["eval_loss"],
            first_loss=losses[0]["eval_loss"],
            last_loss=losses[-1]["eval_loss"],
            adapter_sha256=adapter,
        )

    def get_train_dataloader(self) -> Any:
        """Return the batches of `Batches`, shared out among the devices."""
        return self.accelerator.prepare(
            DataLoader(
                self.train_dataset,
                batch_sampler=self.batches,
                collate_fn=self.data_collator,
                pin_memory=self.args.device.type == "cuda",
            )
        )

    def get_eval_dataloader(self, eval_dataset: Any = None) -> Any:
        """Return the validation rows in order of length, shared out among the devices."""
        ordered = sorted(self.eval_dataset, key=lambda line: -line.length)
        return self.accelerator.prepare(
            DataLoader(ordered, batch_size=self.work.settings.batches.rows, collate_fn=self.data_collator)
        )

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
        """Have the learning rate follow the steps or the clock, whichever is further."""
        schedule, clock = self.work.settings.schedule, self.work.clock

        def share(step: int) -> float:
            # Counted from the middle of a step: neither the first nor the last stands still.
            return rate(schedule, max((step + 0.5) / num_training_steps, clock.share()))

        self.lr_scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer or self.optimizer, share)
        return self.lr_scheduler

    def get_batch_samples(self, epoch_iterator: Any, num_batches: int, device: Any) -> tuple[list[Any], Any]:
        """Return the batches of a step, and how many tokens all devices learn in it."""
        batches, _ = super().get_batch_samples(epoch_iterator, num_batches, device)
        parts = [part for batch in batches for part in batch[PARTS]]
        learned = sum(int((part["labels"][:, 1:] != IGNORED).sum()) for part in parts)
        return batches, self.accelerator.reduce(torch.tensor(learned, device=device), "sum")

    def training_step(self, model: Any, inputs: Mapping[str, Any], num_items_in_batch: Any = None) -> Any:
        """Add the gradients of a batch, one part after the other, and return its loss."""
        *before, last = inputs[PARTS]
        loss = torch.zeros((), device=self.args.device)
        for part in before:
            # Devices may have different numbers of parts: they add up their gradients at the last one.
            with self.accelerator.no_sync(model=model):
                loss += super().training_step(model, part, num_items_in_batch)
        return loss + super().training_step(model, last, num_items_in_batch)

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> Any:
        """Return the summed loss of a part over how many tokens the whole step has to learn.

        Raises:
            TrainingError: if it is no finite number, with the names of the rows.
        """
        places = inputs[PLACES].tolist()
        self._step_places += places
        loss = completion_loss(model, inputs)
        if not torch.isfinite(loss.total):
            raise TrainingError(self._not_finite(f"a loss of {float(loss.total)}", places))
        # Gradients are averaged over devices; the tokens counted are those of all.
        return loss.total / num_items_in_batch * self.accelerator.num_processes

    def evaluate(self, *told: Any, **more: Any) -> dict[str, float]:
        """Measure the mean loss per token on the validation rows; keep the adapter if it is the lowest."""
        began = self.work.clock.look()
        losses = self.validation_losses
        loss = self._validation_loss()
        best = not losses or loss < min(losses)
        if best and self.args.should_save:
            try:
                self.work.keep()
            except (OSError, SafetensorError) as error:
                raise TrainingError(self._not_kept("adapter", error)) from error
        self.work.clock.slowest_look = max(self.work.clock.slowest_look, self.work.clock.look() - began)
        metrics = {"eval_loss": loss}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        if self.work.listener is not None:
            self.work.listener.looked(self.state.global_step, loss, best)
        return metrics

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Keep what is logged, with the seconds at which it was."""
        super().log({**logs, "seconds": round(self.work.clock.look(), 3)}, start_time)
        if "loss" in logs and self.work.listener is not None:
            self.work.listener.stepped(
                self.state.global_step, self.state.max_steps, logs["loss"], self.work.clock.look()
            )

    def refuse_gradient(self) -> None:
        """Raise if a gradient is no finite number: the weights would be lost.

        Raises:
            TrainingError: with the names of the rows of the step.
        """
        trained = [each.grad for each in self.model.parameters() if each.grad is not None]
        if not all(bool(torch.isfinite(grad).all()) for grad in trained):
            raise TrainingError(self._not_finite("a gradient that is no finite number", self._step_places))
        self._step_places.clear()

    def _validation_loss(self) -> float:
        self.model.eval()
        sums = torch.zeros(2, dtype=torch.float64)
        with torch.no_grad():
            for part in (part for batch in self.get_eval_dataloader() for part in batch[PARTS]):
                loss = completion_loss(self.model, self._prepare_inputs(part))
                if not torch.isfinite(loss.total):
                    found = f"a validation loss of {float(loss.total)}"
                    raise TrainingError(self._not_finite(found, part[PLACES].tolist(), self.eval_dataset))
                sums += torch.tensor([float(loss.total), float(loss.tokens)], dtype=torch.float64)
        self.model.train()
        summed = self.accelerator.reduce(sums.float().to(self.args.device), "sum")
        return float(summed[0] / summed[1])

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        """Write the weights of the adapter, and nothing else, into a checkpoint."""
        if self.args.should_save and output_dir is not None:
            Path(output_dir).mkdir(parents=True, exist_ok=True)
            save_file(_weights(self.model), Path(output_dir) / WEIGHTS)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        """Take the weights of a checkpoint in the number type they have; peft would change it."""
        set_peft_model_state_dict(self.model, load_file(Path(resume_from_checkpoint) / WEIGHTS))

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        """Write a checkpoint; of one that does not come off, nothing is left.

        Raises:
            TrainingError: if the disk refuses; the last whole checkpoint is there still.
        """
        folder = Path(self.args.output_dir) / f"checkpoint-{self.state.global_step}"
        try:
            super()._save_checkpoint(model, trial)
            self.accelerator.wait_for_everyone()
            if self.args.should_save:
                checkpoints.close(folder)
        except (OSError, RuntimeError, SafetensorError) as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise TrainingError(self._not_kept("checkpoint", error)) from error

    def _not_kept(self, what: str, error: Exception) -> str:
        last = checkpoints.newest(Path(self.args.output_dir))
        kept = f"{last} is kept" if last else "There was none before"
        # What is missing was taken away: no room would bring it back.
        gone = isinstance(error, FileNotFoundError) or any(each in str(error).lower() for each in GONE)
        do = "Let nothing remove files of a run while it lasts" if gone else "Make room"
        return (
            f"expected to write the {what} of step {self.state.global_step:,}; got: {error}. {kept}. {do} "
            f"and give the same command again: it goes on from there."
        )

    def _not_finite(self, found: str, places: Sequence[int], lines: Sequence[Line] | None = None) -> str:
        names = "; ".join((lines or self.train_dataset)[place].name for place in places)
        when = (
            f"in step {self.state.global_step + 1:,}"
            if lines is None
            else (f"after {self.state.global_step:,} steps")
        )
        last = checkpoints.newest(Path(self.args.output_dir))
        return (
            f"expected a finite loss; got {found} {when}, on the rows {names}. Look at them, or lower "
            f"learning_rate. {f'{last} is kept.' if last else 'There is no checkpoint yet.'}"
        )


class _Course(TrainerCallback):
    """Keeps the time, and stops a run that is over time or no longer gets better."""

    def __init__(self, trainer: EchoTrainer) -> None:
        self._trainer = trainer
        self._began = 0.0

    def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        spent = max((each["seconds"] for each in state.log_history), default=0.0)
        self._trainer.work.clock.add(spent)
        self._look()

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        # Through the skipping of batches after an interruption, the trainer's own word does not come.
        self._trainer.batches.set_epoch(int(state.epoch))

    def on_step_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        self._began = self._look()

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        self._trainer.refuse_gradient()

    def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        clock = self._trainer.work.clock
        clock.slowest_step = max(clock.slowest_step, self._look() - self._began)
        if clock.over() and not control.should_training_stop:
            self._trainer.stopped = "minutes"
            control.should_training_stop = True
        if control.should_training_stop:
            control.should_log = control.should_evaluate = control.should_save = True

    def on_evaluate(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        patience = self._trainer.work.settings.schedule.patience
        losses = self._trainer.validation_losses
        if (
            patience is not None
            and len(losses) - 1 - losses.index(min(losses)) >= patience
            and not control.should_training_stop
        ):
            self._trainer.stopped = "patience"
            control.should_training_stop = control.should_save = True

    def _look(self) -> float:
        """Read the clock of the first process for all: they must agree on the learning rate and the end."""
        clock = self._trainer.work.clock
        clock.now = broadcast_object_list([clock.look()])[0]
        return clock.now


def _weights(model: Any) -> Mapping[str, Any]:
    weights = get_peft_model_state_dict(model, save_embedding_layers=False)
    return {name: weight.contiguous() for name, weight in weights.items()}
