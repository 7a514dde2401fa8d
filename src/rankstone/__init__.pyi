from rankstone.conventions import Conventions as Conventions
from rankstone.core.direct import grades_by_position as grades_by_position
from rankstone.core.result import Result as Result
from rankstone.errors import (
    DataError as DataError,
    MissingDependencyError as MissingDependencyError,
    Notice as Notice,
    RankstoneError as RankstoneError,
    RankstoneNotice as RankstoneNotice,
    StrictError as StrictError,
    UsageError as UsageError,
)
from rankstone.evaluation import evaluate as evaluate, explain as explain
from rankstone.measures import *
from rankstone.report.explain import Explanation as Explanation

__version__: str
