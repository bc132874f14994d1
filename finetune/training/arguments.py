"""Our settings in the words of transformers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from finetune.training.records import CHECKPOINTS
from finetune.training.settings import Settings


def arguments(settings: Settings, out: Path, *, vision: bool = False) -> Any:
    """Return the `TrainingArguments` of a run; joins the processes of one that several share."""
    from transformers import TrainingArguments

    from finetune.base import best_device

    batches, schedule = settings.batches, settings.schedule
    cpu = settings.device == "cpu" or best_device() == "cpu"
    told = TrainingArguments(
        output_dir=str(out / CHECKPOINTS),
        use_cpu=cpu,
        ddp_backend="gloo" if cpu and int(os.environ.get("WORLD_SIZE", "1")) > 1 else None,
        ddp_find_unused_parameters=vision,
        per_device_train_batch_size=batches.rows,
        per_device_eval_batch_size=batches.rows,
        gradient_accumulation_steps=batches.accumulate,
        max_steps=schedule.steps or -1,
        num_train_epochs=schedule.epochs or 1,
        learning_rate=schedule.learning_rate,
        weight_decay=schedule.weight_decay,
        max_grad_norm=schedule.clip,
        eval_strategy="steps",
        eval_steps=schedule.evaluate_every,
        save_strategy="steps",
        save_steps=schedule.save_every,
        save_total_limit=None,
        logging_strategy="steps",
        logging_steps=1,
        logging_nan_inf_filter=False,
        seed=settings.seed,
        activation_checkpointing=settings.checkpointing,
        remove_unused_columns=False,
        report_to=[],
        disable_tqdm=True,
        dataloader_pin_memory=not cpu,
    )
    # Several GPUs without a launcher: one process would share each batch out among them, slower than one GPU.
    if told.n_gpu > 1:
        told._n_gpu = 1
    return told
