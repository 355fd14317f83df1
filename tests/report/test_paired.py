from pathlib import Path

import pandas as pd
import pytest
from scipy import stats

from memlab.report.folder import write
from memlab.report.tables.paired import differences, write_paired
from memlab.report.tables.scores import score_all
from memlab.terms import Result


@pytest.fixture(scope="module")
def scores(results: list[Result]) -> pd.DataFrame:
    return score_all(results)


def test_p_is_exact_and_adjusted_over_the_questions_about_one_rival(scores: pd.DataFrame) -> None:
    frame = differences(scores, ["bucket-search"]).set_index("question")
    alone = {question: 2 / 2**n for question, n in frame["n"].items()}
    alone["task_survival"] = stats.binomtest(24, 30).pvalue  # won in four families of six, lost in recall
    assert frame["p"].to_dict() == pytest.approx({question: min(1, len(frame) * p) for question, p in alone.items()})


def test_interval_p_and_verdict_agree_on_who_is_ahead(scores: pd.DataFrame) -> None:
    frame = differences(scores, ["bucket-search"])
    excluded = (frame["low"] > 0) | (frame["high"] < 0)
    assert excluded.tolist() == (frame["p"] <= 0.05).tolist() == (frame["verdict"] != "open").tolist()
    assert 0 < excluded.sum() < len(frame)


def test_other_systems_of_the_run_do_not_change_a_p_value(scores: pd.DataFrame) -> None:
    alone = differences(scores, ["bucket-search"])
    among = differences(scores, ["null", "bucket-search", "oracle"])
    again = among[among["rival"] == "bucket-search"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, again)


@pytest.mark.usefixtures("no_charts")
def test_csv_and_page_show_every_p_value(results: list[Result], scores: pd.DataFrame, tmp_path: Path) -> None:
    write(results, tmp_path)
    frame = pd.read_csv(tmp_path / "paired.csv")
    assert list(frame.columns) == ["question", "rival", "mean", "low", "high", "n", "p", "verdict"]
    assert frame["p"].tolist() == pytest.approx(differences(scores, ["bucket-search"])["p"].tolist(), rel=1e-5)
    assert ", p=.219</small>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_without_the_reference_the_csv_has_only_its_header(scores: pd.DataFrame, tmp_path: Path) -> None:
    write_paired(scores[scores["system"] != "hybrid"], tmp_path / "paired.csv")
    assert (tmp_path / "paired.csv").read_text(encoding="utf-8") == "question,rival,mean,low,high,n,p,verdict\n"
