"""The components of the interpreter, in their order -> an interpreter.

Of two components that extend one method the later goes first, and continues with what
the earlier makes of it. A component stands behind those it uses.
"""

from __future__ import annotations

from typing import Final

from yota_ast.frontend.arrays.array_stores import ArrayStores
from yota_ast.frontend.arrays.array_writes import ArrayWrites
from yota_ast.frontend.arrays.copied_loops import CopiedLoops
from yota_ast.frontend.arrays.current_arrays import CurrentArrays
from yota_ast.frontend.arrays.item_rows import ItemRows
from yota_ast.frontend.arrays.number_guesses import NumberGuesses
from yota_ast.frontend.arrays.position_loops import PositionLoops
from yota_ast.frontend.arrays.shape_assignments import ShapeAssignments
from yota_ast.frontend.arrays.view_writes import ViewWrites
from yota_ast.frontend.arrays.writing_calls import WritingCalls
from yota_ast.frontend.calls.explained_lowering import ExplainedLowering
from yota_ast.frontend.calls.generalisation import Generalisation
from yota_ast.frontend.calls.helper_ranks import HelperRanks
from yota_ast.frontend.calls.inlining import Inlining
from yota_ast.frontend.calls.int64_overflow import Int64Overflow
from yota_ast.frontend.calls.opaque_calls import OpaqueCalls
from yota_ast.frontend.calls.outlining import Outlining
from yota_ast.frontend.calls.solver_calls import SolverCalls
from yota_ast.frontend.calls.user_calls import UserCalls
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, compose
from yota_ast.frontend.desugar.applied_functions import AppliedFunctions
from yota_ast.frontend.desugar.applied_models import APPLIED
from yota_ast.frontend.desugar.checkpoint_calls import CHECKPOINTS
from yota_ast.frontend.desugar.chosen_receivers import ChosenReceivers
from yota_ast.frontend.desugar.match_statements import MatchStatements
from yota_ast.frontend.desugar.numpy_calls import NumpyCalls
from yota_ast.frontend.desugar.python_draws import DRAWN
from yota_ast.frontend.desugar.replaced_gradients import REPLACED
from yota_ast.frontend.desugar.try_moves import TryMoves
from yota_ast.frontend.desugar.written_objects import WRITTEN
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.expressions.atoms_of_values import Atoms
from yota_ast.frontend.expressions.attributes import Attributes
from yota_ast.frontend.expressions.comprehensions import Comprehensions
from yota_ast.frontend.expressions.expressions import Expressions
from yota_ast.frontend.expressions.items_and_truth import ItemsAndTruth
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.listed_objects import ListedObjects
from yota_ast.frontend.expressions.name_lookup import NameLookup
from yota_ast.frontend.expressions.object_attributes import ObjectAttributes
from yota_ast.frontend.expressions.operators import Operators
from yota_ast.frontend.expressions.outside_names import OutsideNames
from yota_ast.frontend.expressions.subscripts import Subscripts
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.argument_mutation import ArgumentMutation
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.carried_choice import CarriedChoice
from yota_ast.frontend.heap.identity import Identity
from yota_ast.frontend.heap.instances import Instances
from yota_ast.frontend.heap.keyed_items import KeyedItems
from yota_ast.frontend.heap.loop_containers import LoopContainers
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.heap.object_fields import ObjectFields
from yota_ast.frontend.heap.outside_checks import OutsideChecks
from yota_ast.frontend.heap.outside_writes import OutsideWrites
from yota_ast.frontend.interpret.assignment_targets import Assignments
from yota_ast.frontend.interpret.augmented_assignments import AugmentedAssignments
from yota_ast.frontend.interpret.branches import Branches
from yota_ast.frontend.interpret.function_lowering import FunctionLowering
from yota_ast.frontend.interpret.function_parameters import FunctionParameters
from yota_ast.frontend.interpret.generators import Generators
from yota_ast.frontend.interpret.loop_passes import LoopPasses
from yota_ast.frontend.interpret.loop_places import LoopPlaces
from yota_ast.frontend.interpret.loops import Loops
from yota_ast.frontend.interpret.merged_values import MergedValues
from yota_ast.frontend.interpret.statement_execution import Execution
from yota_ast.frontend.interpret.statements import Statements
from yota_ast.frontend.interpret.try_statements import TryStatements
from yota_ast.frontend.interpret.undefined_at_entry import UndefinedNames
from yota_ast.frontend.interpret.with_statements import WithStatements
from yota_ast.frontend.library.builtin_functions import (
    HANDLERS,
    LATER,
    REPLACEMENTS,
    Builtins,
    open_models,
)
from yota_ast.frontend.library.builtin_reductions import BuiltinReductions
from yota_ast.frontend.library.cached_functions import CACHED
from yota_ast.frontend.library.dict_methods import DictMethods, SetMethods
from yota_ast.frontend.library.effectful_iterators import EffectfulIterators
from yota_ast.frontend.library.endless_iterators import EndlessIterators
from yota_ast.frontend.library.frame_calls import FRAMES
from yota_ast.frontend.library.iterators import Iterators
from yota_ast.frontend.library.itertools_models import ITERATORS
from yota_ast.frontend.library.lazy_iterables import LazyIterables
from yota_ast.frontend.library.list_methods import ListMethods
from yota_ast.frontend.library.sorted_items import ORDERING
from yota_ast.frontend.library.sparse_matrices import SparseMatrices
from yota_ast.frontend.library.standard_library import STANDARD, logging_models
from yota_ast.frontend.library.type_questions import TypeQuestions
from yota_ast.frontend.library.value_methods import ValueMethods
from yota_ast.frontend.models.dtype_models import DTYPES
from yota_ast.frontend.models.flat_orders import FLAT_ORDERS
from yota_ast.frontend.models.varying_matrices import VaryingMatrices
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.inlining_records import InliningRecords
from yota_ast.frontend.state.joined_lengths import JoinedLengths
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.real_numbers import RealNumbers
from yota_ast.frontend.state.settings import Settings
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.state.variables import Variables
from yota_ast.frontend.state.waiting_frames import WaitingFrames
from yota_ast.frontend.tables.data_alone import DataAlone
from yota_ast.frontend.tables.labelled_tables import LabelledTables
from yota_ast.frontend.tables.open_dicts import OpenDicts
from yota_ast.frontend.tables.plots import Plots
from yota_ast.frontend.tables.table_functions import TableFunctions
from yota_ast.frontend.tables.table_questions import narwhals_models

ORDER: Final[tuple[type[Component], ...]] = (
    Language,
    Position,
    WaitingFrames,
    Cells,
    Blocks,
    Notes,
    Variables,
    ArrayStates,
    InliningRecords,
    Snapshots,
    RealNumbers,
    Operations,
    UndefinedNames,
    ObjectChoice,
    KeyedItems,
    ArgumentStructures,
    ValueAssumptions,
    NameLookup,
    KnownItems,
    Expressions,
    Comprehensions,
    Identity,
    SparseMatrices,
    ValueKinds,
    Atoms,
    ItemsAndTruth,
    Operators,
    ArgumentParts,
    Subscripts,
    ObjectAttributes,
    OutsideNames,
    Attributes,
    TypeQuestions,
    BuiltinReductions,
    LazyIterables,
    Builtins,
    ListMethods,
    ListedObjects,
    DictMethods,
    SetMethods,
    ValueMethods,
    Generalisation,
    Outlining,
    OpaqueCalls,
    Inlining,
    UserCalls,
    JoinedLengths,
    MergedValues,
    Branches,
    Execution,
    Assignments,
    AugmentedAssignments,
    Statements,
    LoopContainers,
    LoopPlaces,
    CarriedChoice,
    LoopPasses,
    Loops,
    Generators,
    WithStatements,
    TryMoves,
    TryStatements,
    AppliedFunctions,
    ChosenReceivers,
    MatchStatements,
    Instances,
    ObjectFields,
    PositionLoops,
    CopiedLoops,
    ViewWrites,
    ItemRows,
    NumberGuesses,
    ArrayStores,
    CurrentArrays,
    ArrayWrites,
    ShapeAssignments,
    WritingCalls,
    SolverCalls,
    OpenDicts,
    TableFunctions,
    OutsideWrites,
    OutsideChecks,
    ArgumentMutation,
    VaryingMatrices,
    NumpyCalls,
    ExplainedLowering,
    EffectfulIterators,
    Int64Overflow,
    EndlessIterators,
    Iterators,
    HelperRanks,
    DataAlone,
    LabelledTables,
    Plots,
    FunctionParameters,
    FunctionLowering,
)

for _models in (
    HANDLERS, APPLIED, ITERATORS, STANDARD, ORDERING, FRAMES, REPLACED, CHECKPOINTS,
    CACHED, DRAWN, WRITTEN, DTYPES, FLAT_ORDERS,
):  # fmt: skip
    REPLACEMENTS.update(_models)
LATER["logging"] = logging_models
LATER["narwhals"] = narwhals_models


def interpreter(settings: Settings) -> FunctionLowering:
    """Return the component that lowers a function, with all that it is made of."""
    open_models()
    lowering: FunctionLowering = compose(ORDER, settings)[FunctionLowering]
    return lowering
