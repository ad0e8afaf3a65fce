# Sets how much of a test runs. SHORT, for `ci/test` and every change: a sample of models, seeds and programs, so that
# no test takes much more than 20 s of CPU time. WHOLE, for `ci/test --all`: all of them. Under the sanitizers, tests
# that compare results run less.
# SPDX-License-Identifier: Apache-2.0
set(OPLEDGER_TESTS SHORT CACHE STRING "How much of the long tests to run: SHORT or WHOLE")
set_property(CACHE OPLEDGER_TESTS PROPERTY STRINGS SHORT WHOLE)
if(NOT OPLEDGER_TESTS MATCHES "^(SHORT|WHOLE)$")
  message(FATAL_ERROR "OPLEDGER_TESTS is '${OPLEDGER_TESTS}'; it must be SHORT or WHOLE")
endif()

# TEST ARGUMENT...: for SHORT, also under the sanitizers.
set(short
  "checker/classify_rows --operators 16"
  "checker/global_flags --sample"
  "checker/hook --sample"
  "checker/unreadable --count 60"
  "checker/hostile_verbs --every 6"
  "conversion/convert_mxnet --every 4"
  "conversion/convert_onnx --every 6"
  "conversion/damage --every 8"
  "conversion/mxnet_features --every 2"
  "conversion/mxnet_modes --every 5"
  "conversion/mxnet_types --every 4"
  "conversion/npz --every 2"
  "conversion/onnx_casts --every 18"
  "conversion/opset --every 4"
  "conversion/preparation --every 6"
  "conversion/quantised --every 3"
  "conversion/revert --every 4"
  "conversion/shapes --every 3"
  "conversion/small_constants --every 100"
  "conversion/trained_models --every 2"
  "conversion/values/guarded --every 60"
  "conversion/values/hazards --every 14"
  "conversion/values/soundness --every 40"
  "conversion/values/transfer --numbers 2000"
  "ci/release --sample"
  "house/add --syntax"
  "kernels/autocast --every 3"
  "kernels/byte_chains --count 60"
  "kernels/compare --every 4"
  "kernels/every_node --every 12"
  "kernels/mxnet_autocast --every 4"
  "kernels/mxnet_networks --every 4"
  "kernels/mxnet_operators --every 3"
  "kernels/mxnet_recurrent --every 4"
  "kernels/networks --every 3"
  "kernels/onnx_nodes --every 4"
  "kernels/optimised_models --every 3"
  "kernels/packed_weights_models --every 10"
  "kernels/runtime_operators --every 3"
  "kernels/tune --sample"
  "registry/python_tree --count 400 --every 5"
  "scan/condition_oracle --count 20"
  "scan/asked_headers --count 150"
  "scan/compiled_oracle --count 30"
  "scan/evaluated_names --count 12"
  "scan/faults --sample"
  "scan/hostile --sample"
  "scan/oracle --count 120"
  "sweep/sweep --sample 12 --faults 300 --seed 1")
# Only in WHOLE: tests of what releases and GPU machines need, which build packages or whole configurations.
set(OPLEDGER_WHOLE_ONLY ci/gpu ci/packages ci/plain_build ci/run_onednn)
# Run under the sanitizers for every change, since they read untrusted bytes; in addition to the
# unit tests, the golden cases of scanner, converter and kernels, and the corpora of the fuzz
# targets.
set(OPLEDGER_SANITIZED scan/hostile scan/read_error conversion/damage kernels/hostile kernels/plan)
# For SHORT under the sanitizers; the release build runs more of these.
set(short_sanitized
  "conversion/damage --every 24"
  "golden/convert --every 4"
  "golden/kernels --every 8"
  "golden/scan --every 4"
  "kernels/hostile --every 8"
  "scan/hostile --sample test_arbitrary_bytes test_includes_that_are_no_source test_links test_unterminated")
# For both lengths under the sanitizers.
set(sanitized
  "checker/hook test_damage_changes_nothing test_several_runs_at_once"
  # the hardest input for decoders; all of them take seven minutes
  "checker/hostile_verbs --name not-utf8"
  "scan/real --newest")  # all frameworks would take a quarter of an hour
# Tests of results, which the release build covers; under the sanitizers they find nothing more.
set(results
  scan/ninja scan/slurm scan/shard scan/progress scan/real scan/rescan checker/suggestions checker/docs_page
  checker/accessibility checker/sarif_schema checker/help_examples checker/replay checker/color checker/completion_bash
  checker/completion_zsh conversion/amp conversion/onnx_casts conversion/accuracy conversion/mxnet_modes
  conversion/preparation kernels/mxnet_autocast kernels/autocast kernels/onnx_nodes_16bit kernels/tune kernels/cuda)
set(OPLEDGER_LONGEST
  checker/silent_programs checker/docs_page golden/scan golden/checker golden/kernels conversion/convert_mxnet
  conversion/convert_onnx conversion/traps conversion/mxnet_modes scan/real scan/hostile scan/slurm scan/ninja scan/faults scan/shard ci/packages
  ci/pre_commit house/add)
if(OPLEDGER_SANITIZE)
  list(APPEND OPLEDGER_WHOLE_ONLY ${results})
endif()

# opledger_sample(TEST VARIABLE): sets VARIABLE to the test's arguments that select how much of it runs.
function(opledger_sample test variable)
  set(chosen "")
  if(OPLEDGER_TESTS STREQUAL "SHORT")
    set(chosen ${short})
  endif()
  if(OPLEDGER_SANITIZE)
    list(PREPEND chosen ${sanitized})
    if(OPLEDGER_TESTS STREQUAL "SHORT")
      list(PREPEND chosen ${short_sanitized})
    elseif(test MATCHES "^(conversion|kernels)/")
      list(PREPEND chosen "${test} --every 10")
    endif()
  endif()
  set(${variable} "" PARENT_SCOPE)
  foreach(row IN LISTS chosen)
    separate_arguments(words UNIX_COMMAND "${row}")
    list(POP_FRONT words name)
    if(name STREQUAL test)
      set(${variable} ${words} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
