from rankstone import measures as measures, training as training
from rankstone.choices.conventions import Conventions as Conventions
from rankstone.choices.fusion import Fusion as Fusion
from rankstone.core.result import Result as Result
from rankstone.errors import (
    DataError as DataError,
    MissingDependencyError as MissingDependencyError,
    NothingInCommonError as NothingInCommonError,
    Notice as Notice,
    RankstoneError as RankstoneError,
    RankstoneWarning as RankstoneWarning,
    SlowEngineWarning as SlowEngineWarning,
    StrictError as StrictError,
    UsageError as UsageError,
)
from rankstone.io.convert import convert as convert
from rankstone.io.factors import Factors as Factors, Scorer as Scorer
from rankstone.io.id_matrices import true_neighbours as true_neighbours
from rankstone.io.items import Items as Items
from rankstone.io.recognise import grades_by_position as grades_by_position
from rankstone.io.validate import validate as validate
from rankstone.language import set_language as set_language
from rankstone.measures import (
    AP as AP,
    AUC as AUC,
    AUPRC as AUPRC,
    CG as CG,
    DCG as DCG,
    DEFAULT as DEFAULT,
    ERR as ERR,
    GMAP as GMAP,
    RBP as RBP,
    RR as RR,
    Bpref as Bpref,
    Cascade as Cascade,
    Curve as Curve,
    F as F,
    IPrec as IPrec,
    Judged as Judged,
    Measure as Measure,
    P as P,
    Q as Q,
    R as R,
    Rprec as Rprec,
    Success as Success,
    all_measures as all_measures,
    alpha_nDCG as alpha_nDCG,
    auc as auc,
    cascade as cascade,
    infAP as infAP,
    nDCG as nDCG,
    parse_measure as parse_measure,
    pr_area as pr_area,
    pr_curve as pr_curve,
    risk_area as risk_area,
    risk_coverage_curve as risk_coverage_curve,
    roc_curve as roc_curve,
)
from rankstone.measures.explain import Explanation as Explanation
from rankstone.page.html import Report as Report
from rankstone.stats.comparison import Comparison as Comparison
from rankstone.stats.leaderboard import Leaderboard as Leaderboard
from rankstone.text.tools import Reconciliation as Reconciliation
from rankstone.tools import TOOLS as TOOLS, tool as tool
from rankstone.tools.base import Tool as Tool
from rankstone.verbs.agree import (
    agree_judgments as agree_judgments,
    agree_orderings as agree_orderings,
    agree_runs as agree_runs,
)
from rankstone.verbs.compare import compare as compare
from rankstone.verbs.evaluate import evaluate as evaluate
from rankstone.verbs.evaluator import Evaluator as Evaluator
from rankstone.verbs.explain import explain as explain
from rankstone.verbs.fuse import FusedRun as FusedRun, fuse as fuse
from rankstone.verbs.gate.gate import gate as gate
from rankstone.verbs.gate.verdict import Verdict as Verdict
from rankstone.verbs.holes import holes as holes
from rankstone.verbs.leaderboard import leaderboard as leaderboard
from rankstone.verbs.load import load_judgments as load_judgments, load_run as load_run
from rankstone.verbs.p_mrr import PairedMRR as PairedMRR, p_mrr as p_mrr
from rankstone.verbs.pool import pool as pool
from rankstone.verbs.power import power as power
from rankstone.verbs.reconcile import across_tools as across_tools, reconcile as reconcile
from rankstone.verbs.report import report as report
from rankstone.verbs.risk import RiskCoverage as RiskCoverage, risk_coverage as risk_coverage
from rankstone.verbs.spans import SpanResults as SpanResults, evaluate_spans as evaluate_spans
from rankstone.verbs.tune import Tuning as Tuning, tune as tune
from rankstone.verbs.verify import Verification as Verification, verify as verify

__version__: str

# Other names of measures, as other tools write them.
HR: Measure
MAP: Measure
MRR: Measure
NDCG: Measure
Precision: Measure
Recall: Measure
