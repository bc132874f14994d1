"""A base model with a fresh adapter on it, ready to be trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from finetune.quiet import quiet
from finetune.training.errors import TrainingError
from finetune.training.settings import Adapter

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

EVERY_LINEAR = "all-linear"
"""What peft calls all linear layers but the head."""


@dataclass(frozen=True, kw_only=True)
class Added:
    """A token that was added to a tokenizer."""

    number: int
    pieces: tuple[int, ...]
    """Tokens its text was cut into before, at least one."""


def extend(tokenizer: PreTrainedTokenizerBase, tokens: Sequence[str]) -> tuple[Added, ...]:
    """Add `tokens` to a tokenizer, in their order.

    Raises:
        TrainingError: if one is in it already, or empty.
    """
    pieces = [tuple(tokenizer(token, add_special_tokens=False)["input_ids"]) for token in tokens]
    known = tokenizer.get_vocab()
    twice = [token for place, token in enumerate(tokens) if token in known or token in tokens[:place]]
    if twice or not all(pieces):
        raise TrainingError(
            f"expected added_tokens that the tokenizer lacks, each once and none empty; got "
            f"{', '.join(map(repr, twice or tokens))}."
        )
    tokenizer.add_tokens(list(tokens))
    numbers = tokenizer.convert_tokens_to_ids(list(tokens))
    return tuple(Added(number=number, pieces=each) for number, each in zip(numbers, pieces, strict=True))


def with_adapter(
    model: PreTrainedModel, settings: Adapter, *, seed: int, added: Sequence[Added] = ()
) -> PeftModel:
    """Put a fresh adapter on `model`; all other weights are frozen.

    Args:
        model: the base; its embedding grows where tokens are added.
        settings: of the adapter.
        seed: of its first weights; seeds torch as a whole.
        added: what `extend` made of `settings.added_tokens`.

    Raises:
        TrainingError: if the settings name no layer of the model, more than it has, or the embedding of
            one whose head is tied to it.
    """
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import set_seed

    _refuse_tied(model, settings.targets)
    set_seed(seed)
    told: dict[str, Any] = {}
    if added:
        _add_rows(model, added)
        numbers = [token.number for token in added]
        told["trainable_token_indices"] = dict.fromkeys(_vocabulary_layers(model), numbers)
    targets: list[str] | str = list(settings.targets) or EVERY_LINEAR
    if settings.last_layers is not None:
        targets = list(settings.targets) or _linear_ends(model)
        layers = int(model.config.get_text_config().num_hidden_layers)
        if settings.last_layers > layers:
            raise TrainingError(
                f"expected last_layers up to the {layers} that the model has; got {settings.last_layers}. "
                f"Lower it, or leave it out for all of them."
            )
        told["layers_to_transform"] = list(range(layers - settings.last_layers, layers))
    config = LoraConfig(
        task_type="CAUSAL_LM",
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules=targets,
        **told,
    )
    try:
        with quiet():
            adapted = get_peft_model(model, config, autocast_adapter_dtype=False)
    except ValueError as error:
        raise TrainingError(
            f"expected settings of an adapter that fit {type(model).__name__}; got: {error}"
        ) from error
    if settings.number == "float32":
        for weight in adapted.parameters():
            if weight.requires_grad:
                weight.data = weight.data.to(torch.float32)
    return adapted


def counts(model: PeftModel) -> Mapping[str, int]:
    """Return how many numbers are trained and how many are frozen."""
    trained = sum(weight.numel() for weight in model.parameters() if weight.requires_grad)
    return {"trained": trained, "frozen": sum(weight.numel() for weight in model.parameters()) - trained}


def _linear_ends(model: PreTrainedModel) -> list[str]:
    """Return the ends of the names of all linear layers but the head: peft wants names to choose layers."""
    import torch

    head = model.get_output_embeddings()
    ends = [
        name.rpartition(".")[2]
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear) and module is not head
    ]
    return list(dict.fromkeys(ends))


def _refuse_tied(model: PreTrainedModel, targets: Sequence[str]) -> None:
    """Raise if an adapter would be put on one of two layers that share their weights: merged, both change."""
    head = model.get_output_embeddings()
    embedding = model.get_input_embeddings()
    if head is None or head.weight is not embedding.weight:
        return
    tied = [name for name, module in model.named_modules() if module is head or module is embedding]
    hit = [target for target in targets for name in tied if name == target or name.endswith(f".{target}")]
    if hit:
        raise TrainingError(
            f"expected targets without the embedding and the head, whose weights are one in this model; got "
            f"{', '.join(hit)}. To train new tokens, name them as `added_tokens`."
        )


def _add_rows(model: PreTrainedModel, added: Sequence[Added]) -> None:
    """Give each added token a row that begins as the mean of what it was cut into before."""
    import torch

    rows = max(token.number for token in added) + 1
    if rows > model.get_input_embeddings().weight.shape[0]:
        with quiet():
            model.resize_token_embeddings(rows, mean_resizing=False)
    with torch.no_grad():
        for layer in _vocabulary_layers(model).values():
            for token in added:
                mean = layer.weight[list(token.pieces)].float().mean(0)
                layer.weight[token.number] = mean.to(layer.weight.dtype)


def _vocabulary_layers(model: PreTrainedModel) -> dict[str, Any]:
    """Return name -> layer with a row for each token, without a head that is the embedding again."""
    embedding, head = model.get_input_embeddings(), model.get_output_embeddings()
    tied = head is None or head.weight is embedding.weight
    return {
        name: module
        for name, module in model.named_modules()
        if module is embedding or (module is head and not tied)
    }
