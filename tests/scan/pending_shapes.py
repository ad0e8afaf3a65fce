"""Shapes of programs that the scanner does not read correctly yet, and shapes with unreachable
code."""
# SPDX-License-Identifier: Apache-2.0

# Not in the default run of compiled_oracle_test.py; --only runs them.
PENDING = {
    "countdown": "evaluation gives up on a loop whose bound only some builds reach",
    "macro_expression": "the configuration's value is not used where names are evaluated",
    "table_filtered": "the configuration's value is not used where names are evaluated",
    "name_macro_undefined": "the name that the configuration gives is lost",
    "not_macro": "what ## makes of the configuration's value is not expanded by configuration",
    "configuration_words": "the configuration's value is a macro of the unit, and both sides are listed",
    "has_include_missing": "both sides of __has_include are listed",
    "has_include_then_include": "a macro of a header that __has_include asks for is not found",
    "computed_include_by_condition": "which file is included is not followed",
    "included_expression": "an argument that is included is not found",
    "ifdef_in_arguments": "both branches of #if within a macro's arguments are listed",
    "directive_spellings": "a directive's name on two lines is not understood",
    "goto_over": "code in a function with a goto is not marked: blocks may be entered in their middle",
    "methods_uncalled": "methods are not marked: libraries and the language call some without their names",
    "short_circuit": "operands are not marked where a file declares operators, as it may overload && and ||",
    "helper_in_header": "what other files give to a helper of a header that registers is not collected",
    "helper_with_function": "the type that a lambda returns is not known if it returns what a registration does",
    "lambda_of_any_library": "the type of a lambda's parameter is not followed to its calls",
    "registers_at_end": "what destructors register is not evaluated",
}
# An unreachable name may be listed if it is marked as such.
UNREACHABLE = {
    "after_break", "and_on_constant", "call_without_return", "cases_fall_through", "class_unused", "classes_derived",
    "code_after_return", "early_return", "enabled_in_code", "function_uncalled", "goto_over",
    "if_constexpr_on_macro", "if_else_chain", "if_false", "if_on_macro", "lambda_uncalled", "lambdas_kept", "loop_never",
    "loops_that_end", "macro_of_several", "methods_uncalled", "nested_tests", "operators_in_arguments",
    "returns_by_argument", "short_circuit", "switch_in_loop", "switch_on_macro", "template_branches", "template_uncalled",
    "ternary_of_calls", "thrown", "uncalled_calls_uncalled", "unused_overload",
}
