"""opledger: converts models to mixed precision, by lists that give the precision of each operator.

    import opledger
    mixed = opledger.convert("model.onnx", "mixed.onnx")
    print(opledger.compare("model.onnx", mixed).outputs)

The programs of opledger, which are part of this package, do the work; only the standard library is needed. `onnx` and
`numpy` are used if they are installed. `opledger.compat` has the functions of other converters with their own
signatures.
"""
# SPDX-License-Identifier: Apache-2.0

from .checking import Finding, Findings, Manifest, Operator, check, scan
from .comparison import Comparison, Tuned, compare, tune
from .conversion import (Cast, Conversion, Converted, ModelNode, ModelSummary, ModelValue, Node, NumberRange,
                         Reverted, Rule, convert, inspect, revert)
from .errors import Diagnostic, IncompleteWarning, OpledgerError, ProgramCrashed, ProgramNotFound
from .precision_lists import PrecisionList, lists
from .programs import Progress
from .sessions import Session, run
from .version import read_version

__version__ = read_version()  # also of the programs
__all__ = ["Cast", "Comparison", "Conversion", "Converted", "Diagnostic", "Finding", "Findings", "IncompleteWarning",
           "Manifest", "ModelNode", "ModelSummary", "ModelValue", "Node", "NumberRange", "Operator",
           "OpledgerError", "PrecisionList", "ProgramCrashed", "ProgramNotFound", "Progress", "Reverted", "Rule",
           "Session", "Tuned", "check", "compare", "convert", "inspect", "lists", "revert", "run", "scan", "tune"]
