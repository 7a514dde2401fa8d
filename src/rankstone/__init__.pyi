from rankstone.agreeing import (
    agree_judgments as agree_judgments,
    agree_orderings as agree_orderings,
    agree_runs as agree_runs,
)
from rankstone.comparing import compare as compare
from rankstone.conventions import Conventions as Conventions
from rankstone.core.result import Result as Result
from rankstone.errors import (
    DataError as DataError,
    MissingDependencyError as MissingDependencyError,
    NothingInCommonError as NothingInCommonError,
    Notice as Notice,
    RankstoneError as RankstoneError,
    SlowEngineWarning as SlowEngineWarning,
    StrictError as StrictError,
    UsageError as UsageError,
)
from rankstone.evaluation import evaluate as evaluate, explain as explain
from rankstone.evaluator import Evaluator as Evaluator
from rankstone.gates.verdict import Verdict as Verdict
from rankstone.gating import gate as gate
from rankstone.instructions import PairedMRR as PairedMRR, p_mrr as p_mrr
from rankstone.io.load import load_judgments as load_judgments
from rankstone.io.rankings import grades_by_position as grades_by_position
from rankstone.measures import *
from rankstone.measures import Measure as Measure
from rankstone.planning import power as power
from rankstone.reconciliation import across_tools as across_tools, reconcile as reconcile
from rankstone.report.explanation import Explanation as Explanation
from rankstone.report.html import Report as Report
from rankstone.report.tools import Reconciliation as Reconciliation
from rankstone.reporting import report as report
from rankstone.selective import RiskCoverage as RiskCoverage, risk_coverage as risk_coverage
from rankstone.spans import SpanResults as SpanResults, evaluate_spans as evaluate_spans
from rankstone.stats.comparison import Comparison as Comparison
from rankstone.tools import TOOLS as TOOLS, tool as tool
from rankstone.tools.base import Tool as Tool
from rankstone.verifying import Verification as Verification, verify as verify

__version__: str

# Other names of measures, of which any tool's is resolved at run time.
HR: Measure
MAP: Measure
MRR: Measure
NDCG: Measure
Precision: Measure
Recall: Measure
