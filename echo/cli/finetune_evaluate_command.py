"""``echo-memory finetune evaluate``: how good the descriptors are that a language model writes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echo.cli.screen import InputError, exit_codes, note_console, out_console, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from echo.models.settings import ModelSettings
    from finetune.evaluation.columns import Answered, Tell
    from finetune.evaluation.completions import Book, Subject
    from finetune.evaluation.questions import Question, Questions
    from finetune.evaluation.records import Evaluation, Helps

KEPT = "answers are kept, the same command goes on from there"

WHAT, HOW = "What is asked", "How it is asked"

SETTINGS = ("most_tokens", "batch", "temperature", "seed", "dtype", "device")
"""Settings of models that a result tells."""

HELPING = (("constrained", "repaired", "after"), ("before_explained", "before_constrained", "before"))
"""Of each model, columns in which its descriptors are looked for, the best first."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the command line says."""

    model: str
    before: str | None
    data: Path | None
    texts: Path | None
    rows: int | None
    before_rows: int | None
    columns: tuple[str, ...]
    out: Path
    most_tokens: int | None
    settings: ModelSettings
    names: tuple[int, ...]
    encoder: str


def evaluate(
    model: Annotated[
        str, typer.Option(metavar="WHO", help="hf:BASE[+ADAPTER], openai:MODEL, scripted:FILE, ...")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Gets answers, figures, picture.")],
    data: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="From `finetune examples`.", rich_help_panel=WHAT)
    ] = None,
    texts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your own inputs (JSONL).", rich_help_panel=WHAT)
    ] = None,
    before: Annotated[
        str | None, typer.Option(metavar="WHO", help="The model untaught.", rich_help_panel=WHAT)
    ] = None,
    rows: Annotated[
        int | None, typer.Option(min=1, help="Of each kind at most so many.", rich_help_panel=WHAT)
    ] = None,
    before_rows: Annotated[
        int | None,
        typer.Option(min=1, help="The same for columns of --before.", rich_help_panel=WHAT),
    ] = None,
    column: Annotated[
        list[str] | None, typer.Option(help="Column wanted. Repeat; all.", rich_help_panel=WHAT)
    ] = None,
    invented_names: Annotated[
        list[int] | None,
        typer.Option(metavar="SEED", help="Of names that runs invented. Repeat.", rich_help_panel=WHAT),
    ] = None,
    encoder: Annotated[str, typer.Option(help="Of the bank.", rich_help_panel=WHAT)] = "minilm-int8",
    most_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="Tokens of an answer; by the longest right one.", rich_help_panel=HOW),
    ] = None,
    batch: Annotated[int, typer.Option(min=1, help="Answered together (hf:).", rich_help_panel=HOW)] = 8,
    temperature: Annotated[float, typer.Option(min=0.0, help="0: likeliest.", rich_help_panel=HOW)] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Of draws and resampling.", rich_help_panel=HOW)] = 0,
    dtype: Annotated[str, typer.Option(help="Of the weights (hf:).", rich_help_panel=HOW)] = "auto",
    device: Annotated[str, typer.Option(help="cpu, cuda, auto (hf:).", rich_help_panel=HOW)] = "cpu",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure the descriptors that a model writes of held-out episodes.

    DIR gets completions.jsonl (each answer once: the same command asks for
    no answer again), evaluation.json, evaluation.md and f1.png. FILE has
    lines {"text": ...}, perhaps with "gold", the right descriptor.

    Example: echo-memory finetune evaluate --model hf:smollm2+runs/tuned/adapter --before hf:smollm2
    --data data --out runs/evaluated
    """
    # Else torch's threads spin while they wait, and answers take several times as long beside other work.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    with exit_codes(KEPT):
        from csd.chat import ModelError
        from echo.models.settings import from_environment
        from finetune.evaluation.errors import EvaluationError
        from finetune.training.errors import TrainingError

        try:
            # Answers are kept with the figures; out of another cache they would cost no time.
            asking = replace(
                from_environment(temperature=temperature, seed=seed, batch=batch, dtype=dtype, device=device),
                cache=None,
            )
            evaluation = _evaluate(
                Asked(
                    model=model,
                    before=before,
                    data=data,
                    texts=texts,
                    rows=rows,
                    before_rows=before_rows,
                    columns=_columns(column),
                    out=out,
                    most_tokens=most_tokens,
                    settings=asking,
                    names=tuple(invented_names or ()),
                    encoder=encoder,
                )
            )
        except (EvaluationError, TrainingError, ModelError) as error:
            raise InputError(str(error)) from error
        if as_json:
            print_json(evaluation.model_dump(mode="json"))
        else:
            _print(evaluation, out)


def _columns(named: list[str] | None) -> tuple[str, ...]:
    from difflib import get_close_matches

    from echo.experiments.spec import UsageError
    from finetune.evaluation.columns import COLUMNS

    known = tuple(each.name for each in COLUMNS)
    for name in named or ():
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise UsageError(f"expected a column out of {', '.join(known)}; got {name!r}.{hint}")
    return tuple(named) if named else known


def _evaluate(asked: Asked) -> Evaluation:
    """Ask, judge, and write everything to the folder."""
    import json

    from csd.by_model.prompts import VERSION
    from csd.vectors.files import replace as write
    from echo.cli.finetune_asking import AskingProgress
    from echo.experiments.provenance import code_commit, machine_facts, package_versions
    from finetune.evaluation.evaluating import Plan, evaluate, figures_by, samples
    from finetune.evaluation.figures import figures
    from finetune.evaluation.folder import check_own
    from finetune.evaluation.picture import draw
    from finetune.evaluation.records import EVALUATION, PICTURE, TABLE, Evaluation, Made
    from finetune.evaluation.table import evaluation_text

    check_own(asked.out)
    rows, texts = _questions(asked)
    plan = Plan(
        questions=[each for one in (rows, texts) if one is not None for each in one.questions],
        columns=asked.columns,
        rows=asked.rows,
        before_rows=asked.before_rows,
    )
    settings = replace(asked.settings, most_tokens=_limit(asked, plan.questions))
    asked.out.mkdir(parents=True, exist_ok=True)
    book = _book(asked.out)
    subjects = {"model": _subject(asked.model, settings)}
    if asked.before is not None:
        subjects["before"] = _subject(asked.before, settings)
    with AskingProgress(note_console()) as tell:
        answered = evaluate(plan, subjects, book, tell=tell)
        found = _helps(answered, asked, tell)
    made = Made(
        model=asked.model,
        before=asked.before,
        told={who: dict(each.told) for who, each in subjects.items()},
        data=None if rows is None else rows.digest,
        card=None if rows is None else rows.card,
        texts=None if texts is None else texts.digest,
        rows=asked.rows,
        before_rows=asked.before_rows,
        settings={name: getattr(settings, name) for name in SETTINGS},
        prompt=VERSION,
        commit=code_commit(),
        versions=package_versions(),
        machine=machine_facts(),
    )
    columns = {name: figures(each.judged, unanswered=len(each.unanswered)) for name, each in answered.items()}
    evaluation = Evaluation(
        **columns,
        styles=figures_by(answered, "style"),
        families=figures_by(answered, "family"),
        helps=found,
        samples=samples(answered),
        made=made,
    )
    text = json.dumps(evaluation.model_dump(mode="json"), indent=1, ensure_ascii=False, allow_nan=False)
    write(asked.out / EVALUATION, (text + "\n").encode())
    write(asked.out / TABLE, evaluation_text(evaluation).encode())
    draw(columns, asked.out / PICTURE)
    for name, each in answered.items():
        if each.unanswered:
            typer.echo(f"{name}: {len(each.unanswered):,} unanswered, such as {each.unanswered[0]}", err=True)
    return evaluation


def _limit(asked: Asked, questions: Sequence[Question]) -> int:
    """Return the most tokens of an answer: as said, else by the longest right one of all questions."""
    from finetune.base import BaseError
    from finetune.evaluation.limit import MOST_TOKENS, answer_limit, token_count

    if asked.most_tokens is not None:
        return asked.most_tokens
    right = list(dict.fromkeys(each.gold for each in questions if each.gold is not None))
    bases = [base for name in (asked.model, asked.before) if (base := _base(name)) is not None]
    try:
        return answer_limit(right, [token_count(base) for base in dict.fromkeys(bases)])
    except (ImportError, BaseError):
        # Whoever loads the model says what is wrong with it.
        return MOST_TOKENS


def _base(name: str | None) -> str | None:
    """Return the base of a model on this machine, None for another."""
    from echo.models.named import base_and_adapter

    kind, _, rest = (name or "").partition(":")
    return base_and_adapter(rest)[0] if kind == "hf" and rest.strip() else None


def _helps(answered: Mapping[str, Answered], asked: Asked, tell: Tell) -> dict[str, Helps]:
    """Measure what the descriptors are good for: of each model those nearest to what a bank would get."""
    from csd.encode import load_encoder
    from echo.bench.finetune_helps import helps

    columns = [next((name for name in names if name in answered), None) for names in HELPING]
    found = {
        column: helps(
            answered[column].judged,
            load_encoder(asked.encoder),
            column=column,
            seed=asked.settings.seed,
            names=asked.names,
            tell=partial(tell, f"{column}, found by their likes"),
        )
        for column in columns
        if column is not None
    }
    for column, each in found.items():
        if each is None or each.left_out:
            typer.echo(
                f"{column}: episodes whose names no rules explain: {each.left_out if each else 'all'}; "
                f"say --invented-names, the seed that their runs had",
                err=True,
            )
    return {column: each for column, each in found.items() if each is not None}


def _questions(asked: Asked) -> tuple[Questions | None, Questions | None]:
    from csd.episode import Episode
    from echo.experiments.spec import UsageError
    from echo.mfm.codec import from_json
    from finetune.evaluation.questions import read_questions, read_texts

    if asked.data is None and asked.texts is None:
        raise UsageError("expected --data, --texts or both; got neither. Something has to be asked.")

    def read_episode(value: object) -> Episode:
        return from_json(Episode, value)

    rows = None if asked.data is None else read_questions(asked.data, read_episode)
    texts = None if asked.texts is None else read_texts(asked.texts, read_episode)
    return rows, texts


def _book(out: Path) -> Book:
    """Return the answers in the folder; a line that a kill left unfinished is told and asked for again."""
    from pydantic import ValidationError

    from echo.experiments.spec_files import told
    from echo.mfm.log import append_log, read_log
    from finetune.evaluation.completions import COMPLETIONS, Book, KeptCompletion

    path = out / COMPLETIONS
    logged = read_log(path)
    try:
        # As JSON, since what was a tuple comes back as a list.
        kept = [KeptCompletion.model_validate(entry) for entry in logged.entries]
    except ValidationError as error:
        raise InputError(
            f"expected answers of this command in {path}; got a line that is none: {told(error)}. "
            f"Name another --out."
        ) from error
    if logged.unread:
        typer.echo(f"{path}: {logged.unread:,} lines cannot be read; those are asked again", err=True)
    return Book(kept, lambda one: append_log(path, one.model_dump(mode="json")))


def _subject(name: str, settings: ModelSettings) -> Subject:
    from csd.chat import ModelError
    from echo.experiments.spec import UsageError
    from echo.models.named import KINDS, model_named
    from finetune.evaluation.completions import TOGETHER, Subject

    try:
        model = model_named(name, settings=settings)
    except ModelError as error:
        if name.partition(":")[0] not in KINDS:
            raise UsageError(str(error)) from error
        raise
    return Subject(model=model, told=_told(name, model, settings), together=max(TOGETHER, settings.batch))


def _told(name: str, model: object, settings: ModelSettings) -> dict[str, object]:
    """Return what decides the answers of a model."""
    import hashlib

    from echo.models.local import LocalModel

    if isinstance(model, LocalModel):
        return model.told()
    kind, _, rest = name.partition(":")
    told: dict[str, object] = {
        "model": name,
        "most_tokens": settings.most_tokens,
        "temperature": settings.temperature,
        "seed": settings.seed,
    }
    if kind == "openai":
        told["server"] = settings.base_url or os.environ.get("OPENAI_BASE_URL")
    if kind == "scripted":
        told["file"] = hashlib.sha256(Path(rest).expanduser().read_bytes()).hexdigest()
    return told


def _print(evaluation: Evaluation, out: Path) -> None:
    from csd.axes import AXES
    from finetune.evaluation.table import helps_table, shown, titles

    console, columns = out_console(), evaluation.columns()
    table = _grid("answers", "JSON", "schema", "grounded", "F1", "exact", "tokens", "seconds")
    axes = _grid(*(f"F1 {axis.value}" for axis in AXES))
    for name, one in columns.items():
        shares = (one.valid_json, one.schema_valid, one.grounded, one.mean_f1, one.exact)
        cost = (shown(one.tokens_per_csd, 0), shown(one.seconds_per_csd, 2))
        table.add_row(titles()[name], f"{one.rows:,}", *map(shown, shares), *cost)
        axes.add_row(titles()[name], *(shown(one.f1[axis.value]) for axis in AXES))
    console.print(table)
    console.print()
    console.print(axes)
    for column, each in evaluation.helps.items():
        head, *lines = helps_table(each)
        found = _grid(*head[1:])
        for line in lines:
            found.add_row(*line)
        typer.echo(f"\nfound by their likes, {titles()[column]}:")
        console.print(found)
    typer.echo(f"evaluation: {out}")


def _grid(*titles: str) -> Table:
    from rich.table import Table

    grid = Table(box=None, pad_edge=False)
    grid.add_column("", overflow="fold")
    for title in titles:
        grid.add_column(title, justify="right", no_wrap=True)
    return grid
