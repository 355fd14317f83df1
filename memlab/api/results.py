"""The results of a run: tables, charts, explanations, failures."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

import pandas as pd
from matplotlib.figure import Figure

from memlab.api.catalogue import Folders, folders_of
from memlab.api.coloured_text import ColouredText
from memlab.harness.attacks.attack_kinds import is_attack
from memlab.harness.plural import plural
from memlab.harness.running.results import ResultsWriter, read_results
from memlab.harness.scenarios.loading import library
from memlab.harness.scoring.explanations import explanation
from memlab.harness.scoring.fixes import fix_lines
from memlab.report.charts.all import figures
from memlab.report.charts.style import to_png
from memlab.report.explain.cell import explanation as cell_explanation
from memlab.report.explain.cell import select_cell
from memlab.report.explain.timeline import scenario_paths
from memlab.report.folder import write
from memlab.report.tables.fixes import own_results
from memlab.report.tables.scores import by_scenario, complete, plain, score_all
from memlab.report.tables.tidy import by_system, ranked, shown_columns, tidy
from memlab.systems.entry import did_you_mean
from memlab.terms import Result

By = Literal["system", "family", "scenario", "probe"]


class Charts(dict[str, Figure]):
    """Figures by name; Jupyter displays all of them."""

    def __repr__(self) -> str:
        return f"charts: {', '.join(self)}"

    def _repr_html_(self) -> str:
        pictures = {name: b64encode(to_png(figure)).decode("ascii") for name, figure in self.items()}
        return "".join(f'<img alt="{name}" src="data:image/png;base64,{one}">' for name, one in pictures.items())


class Results:
    """The results of a run, one for each system and probe; `for one in results` yields each as a `memlab.Result`.

    >>> results = memlab.play("recall/first-week", ["bucket-search", "null"])
    >>> results
    2 systems on 1 scenario: 6 results
    >>> results.failures()["system"].unique().tolist()
    ['null']
    >>> print(results.what_to_fix("null"))
    1. a memory that stores every event, and a search that finds it (3 of 3 probes, for example in recall/first-week)
    """

    def __init__(self, results: Iterable[Result], folders: Sequence[Path] = ()) -> None:
        """Take results, and the folders of their scenario files, by default memlab's own."""
        self._results = complete(results)
        self._folders = list(folders) or [library()]

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __repr__(self) -> str:
        systems, scenarios = self.systems, {one.key.scenario for one in self}
        sizes = (plural(len(systems), "system"), plural(len(scenarios), "scenario"), plural(len(self), "result"))
        return "{} on {}: {}".format(*sizes)

    def _repr_html_(self) -> str:
        return str(self.table().to_html(float_format="{:.2f}".format))

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(dict.fromkeys(one.system for one in self))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The tidy scores: one row for each result, with every metric, in [0, 1]."""
        return score_all(self._results)

    def table(self, by: By = "system") -> pd.DataFrame:
        """Return means as a table. Shares are in [0, 1].

        By "system": the columns of the results table, best system first. By "family", "scenario" or "probe": the share
        passed, with a column for each system. `tidy` has the intervals.
        """
        if by == "system":
            frame = tidy(self.scores)
            found, columns = by_system(frame), shown_columns(frame)
            rows = {name: {one: found[name][one].mean for one in columns if one in found[name]} for name in found}
            return pd.DataFrame.from_dict(rows, orient="index", columns=columns).loc[ranked(frame)]
        if by == "family":
            rows = {name: self._families(name) for name in self.systems}
            return pd.DataFrame(rows)
        own = plain(self.scores)
        if by == "scenario":
            return self._spread(by_scenario(own)["scenarios_passed"].droplevel("family"))
        if by == "probe":
            return self._spread(own.groupby(["system", "scenario", "probe"], sort=False)["scenarios_passed"].mean())
        raise ValueError(f"by = {by!r}, expected system, family, scenario or probe")

    def tidy(self) -> pd.DataFrame:
        """Return every mean with its 95 % interval and n: system, family, metric, mean, low, high, n."""
        return tidy(self.scores)

    def plot(self, name: str = "") -> Figure | Charts:
        """Return the chart of this name (headline, two_by_two, budgets, ablations), or all that the results allow.

        They are matplotlib figures, and Jupyter displays them. Raises ValueError if the results do not allow the chart.
        """
        charts = Charts({chart: figure for chart, _, _, figure in figures(self.scores)})
        if name and name not in charts:
            raise ValueError(f"no chart {name!r} of these results.{did_you_mean(name, charts)} Valid: {[*charts]}")
        return charts[name] if name else charts

    def explain(self, scenario: str = "", system: str = "", seed: int | None = None, attack: str = "") -> ColouredText:
        """Explain one cell: events, questions, answers, what was expected, and which lines decide it.

        By default the first failed cell, of your own system if there is one; the name of a class is enough. Raises
        BadResults if nothing matches.
        """
        cell = select_cell(self._results, scenario, system, seed, attack)
        return ColouredText(cell_explanation(cell, scenario_paths(self._folders)))

    def failures(self, system: str = "") -> pd.DataFrame:
        """Return a row for each result that did not pass, of one system or of all, with what was wrong."""
        wrong = [one for one in self if (not one.key.overlay or is_attack(one.key.overlay)) and explanation(one)]
        return pd.DataFrame(
            [_failure(one) for one in wrong if system in {"", one.system}],
            columns=["system", "scenario", "seed", "attack", "probe", "query", "wrong"],
        )

    def what_to_fix(self, system: str = "") -> str:
        """Return what to fix first, as numbered lines: in one system, by default in each of your own."""
        own = own_results(self) if not system else {system: [one for one in self if one.system == system]}
        titles = len(own) > 1
        return "\n".join(line for name, some in own.items() for line in [*[f"{name}:"] * titles, *fix_lines(some)])

    def save(self, folder: str | Path) -> Path:
        """Write results.jsonl and the report to a folder, as `memlab compare` does; return the path of report.html."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        with (place / "results.jsonl").open("w", encoding="utf-8") as stream:
            writer = ResultsWriter(stream)
            for one in self:
                writer.write(one)
        write(self._results, place, scenarios=self._folders)
        return place / "report.html"

    def _families(self, system: str) -> dict[str, float]:
        frame = tidy(self.scores)
        own = frame[(frame["system"] == system) & (frame["metric"] == "scenarios_passed")]
        return dict(zip(own["family"], own["mean"], strict=True))

    def _spread(self, values: pd.Series) -> pd.DataFrame:
        table = values.unstack("system", sort=False)  # noqa: PD010 - one value for each cell
        return table[self.systems].rename_axis(columns=None)


def read(path: str | Path, *, folder: Folders = None) -> Results:
    """Read the results of a run from its folder, or from a results.jsonl. Raises BadResults.

    An incomplete last line, of a run that was killed, is left out with a warning. `folder` holds the scenario files, if
    they are not memlab's own.

    >>> memlab.play("recall/first-week", "null").save("run").name
    'report.html'
    >>> memlab.read("run")
    1 system on 1 scenario: 3 results
    """
    place = Path(path)
    found = read_results(place / "results.jsonl" if place.is_dir() else place)
    return Results(found, folders_of(folder))


def _failure(result: Result) -> dict[str, object]:
    key = result.key
    wrong = "\n".join(line.strip() for line in explanation(result).splitlines()[1:])
    place = {"system": result.system, "scenario": key.scenario, "seed": key.seed, "attack": key.overlay}
    return place | {"probe": key.probe, "query": key.query, "wrong": wrong}
