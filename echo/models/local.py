"""A language model on this machine: transformers, with an adapter of peft or without."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from csd.chat import JsonSchema, Message, ModelError, Reply, prompt_digest
from echo.models.chances import DrawTokens, HoldToSchema
from echo.models.grammar import INSTALL, Grammars
from echo.models.lasting import lasting_weights
from echo.models.local_prompt import prompt_inputs, prompt_text
from echo.models.settings import ModelSettings

if TYPE_CHECKING:
    from finetune.adapter import Loaded


class LocalModel:
    """Answers with the weights in a folder.

    The likeliest token is taken each time unless the settings have a temperature; whatever else the folder
    says of generation (penalties, beams) is left aside, its end tokens excepted. Threads may share it: they
    take turns. In bfloat16 an answer can change with the batch it is in, by rounding alone.
    """

    def __init__(self, name: str, loaded: Loaded, settings: ModelSettings) -> None:
        """Answer as `name` with what `finetune.adapter.load` gave."""
        from transformers import GenerationConfig

        from finetune.base import stop_tokens

        self.name = name
        self._loaded, self._settings = loaded, settings
        # What a call leaves open would come from here: penalties, beams and draws of the folder.
        loaded.model.generation_config = GenerationConfig()
        self._stops = stop_tokens(loaded.base, loaded.tokenizer)
        self._turn = threading.RLock()

    @classmethod
    def from_folder(cls, base: str, adapter: Path | None, settings: ModelSettings) -> LocalModel:
        """Load the model `base`, as for `finetune.base.find_base`, with the adapter in a folder or without.

        Its name tells the last parts of both paths, with the digests of the weights.

        Raises:
            ModelError: if packages are missing or the model cannot be loaded.
        """
        name = f"hf:{base}" if adapter is None else f"hf:{base}+{adapter}"
        try:
            from finetune.adapter import load

            loaded = load(base, adapter, dtype=settings.dtype, device=settings.device)
        except ImportError as error:
            raise ModelError(
                f"expected torch and transformers for {name}; got: {error}. {INSTALL}"
            ) from error
        except (ValueError, OSError, RuntimeError) as error:
            raise ModelError(f"expected a model at {name}; got: {error}") from error
        own = lasting_weights(base, loaded.base.digest, adapter, loaded.adapter_digest)
        try:
            return cls(own, loaded, settings)
        except ValueError as error:
            raise ModelError(f"expected a model at {name}; got: {error}") from error

    def told(self) -> dict[str, object]:
        """Return what beside the conversation decides an answer."""
        one = self._settings
        return {
            "model": self._loaded.base.digest,
            "adapter": self._loaded.adapter_digest,
            "template": self._loaded.tokenizer.chat_template,
            "dtype": str(self._loaded.model.dtype),
            "most_tokens": one.most_tokens,
            "temperature": one.temperature,
            "seed": one.seed,
        }

    def __call__(self, messages: Sequence[Message], /, *, schema: JsonSchema | None = None) -> Reply:
        """Answer one conversation.

        Raises:
            ModelError: as `answer_each`.
        """
        return self.answer_each([messages], schema=schema)[0]

    def answer_each(
        self, conversations: Sequence[Sequence[Message]], /, *, schema: JsonSchema | None = None
    ) -> list[Reply]:
        """Answer each conversation, in their order; those of like length go together.

        Raises:
            ModelError: if one does not fit the model (too long, pictures for a model that sees none, roles
                that its template refuses), or decoding cannot be held to the schema.
        """
        prompts = [self._prompt(each) for each in conversations]
        order = sorted(range(len(prompts)), key=lambda place: (prompts[place].tokens, place))
        replies: dict[int, Reply] = {}
        with self._turn:
            for start in range(0, len(order), self._settings.batch):
                places = order[start : start + self._settings.batch]
                together = self._together([prompts[place] for place in places], schema)
                replies.update(zip(places, together, strict=True))
        return [replies[place] for place in range(len(prompts))]

    @cached_property
    def _grammars(self) -> Grammars:
        return Grammars(self._loaded.tokenizer, self._loaded.model.get_input_embeddings().weight.shape[0])

    @cached_property
    def _window(self) -> int | None:
        """Tokens of question and answer at most, where the model says."""
        config = self._loaded.model.config
        return getattr(config.get_text_config(), "max_position_embeddings", None)

    def _prompt(self, messages: Sequence[Message]) -> _Prompt:
        text = prompt_text(self._loaded, messages, self.name)
        images = tuple(image for each in messages for image in each.images)
        tokens = len(self._loaded.tokenizer(text, add_special_tokens=False)["input_ids"])
        return _Prompt(text=text, images=images, tokens=tokens, digest=prompt_digest(messages))

    def _together(self, prompts: Sequence[_Prompt], schema: JsonSchema | None) -> list[Reply]:
        """Answer a batch."""
        import torch

        began = time.perf_counter()
        inputs = prompt_inputs(self._loaded, [(each.text, each.images) for each in prompts])
        width = int(inputs["input_ids"].shape[1])
        with torch.inference_mode():
            written = self._loaded.model.generate(
                **inputs.to(self._loaded.model.device),
                generation_config=self._generation(self._room(width)),
                logits_processor=self._processors(prompts, width, schema),
            )[:, width:]
        seconds = (time.perf_counter() - began) / len(prompts)
        asked = inputs["attention_mask"].sum(dim=1).tolist()
        return [
            self._reply(row, int(tokens), seconds, held=schema is not None)
            for row, tokens in zip(written.tolist(), asked, strict=True)
        ]

    def _room(self, width: int) -> int:
        room = self._settings.most_tokens if self._window is None else self._window - width
        if room < 1:
            raise ModelError(
                f"expected a question that leaves room for an answer in the {self._window} tokens of "
                f"{self.name}; got one of {width}. Shorten it, or use a model with a longer window."
            )
        return min(room, self._settings.most_tokens)

    def _generation(self, most: int) -> Any:
        from transformers import GenerationConfig

        return GenerationConfig(
            max_new_tokens=most,
            do_sample=False,
            num_beams=1,
            repetition_penalty=1.0,
            use_cache=True,
            eos_token_id=list(self._stops),
            pad_token_id=self._loaded.tokenizer.pad_token_id,
        )

    def _processors(self, prompts: Sequence[_Prompt], width: int, schema: JsonSchema | None) -> list[Any]:
        processors: list[Any] = []
        if schema is not None:
            matchers = [self._grammars.start(schema) for _ in prompts]
            processors.append(HoldToSchema(matchers, prompt=width, stops=self._stops))
        if self._settings.temperature > 0:
            generators = [
                np.random.default_rng([self._settings.seed, int(each.digest, 16)]) for each in prompts
            ]
            processors.append(DrawTokens(self._settings.temperature, generators))
        return processors

    def _reply(self, row: list[int], asked: int, seconds: float, *, held: bool) -> Reply:
        """Return the answer in a row of tokens, up to the first end token."""
        end = next((place for place, token in enumerate(row) if token in self._stops), None)
        own = row if end is None else row[:end]
        return Reply(
            text=self._loaded.tokenizer.decode(own, skip_special_tokens=True),
            prompt_tokens=asked,
            completion_tokens=len(own) + (end is not None),
            money=0.0,
            seed=self._settings.seed,
            seconds=seconds,
            cut=end is None,
            held_to_schema=held,
        )


@dataclass(frozen=True, kw_only=True)
class _Prompt:
    """A conversation as the model reads it."""

    text: str
    images: tuple[bytes, ...]
    tokens: int
    digest: str
