from rankstone.conventions import Conventions as Conventions
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
from rankstone.evaluation import evaluate as evaluate
from rankstone.measures import *

__version__: str
