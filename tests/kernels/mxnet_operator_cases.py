"""Calls of MXNet operators that mxnet_operators_test.py runs in MXNet and in opledger.

An entry of CASES is (operator, attributes, inputs): an input is the shape of a random array, or an
array. STATES: indices of inputs that the operator writes to in training; OUTPUTS: number of visible
outputs, if not one.
"""
# SPDX-License-Identifier: Apache-2.0

import numpy

CASES = []
STATES = {"BatchNorm": (3, 4)}


def add(op, inputs, *settings):
    CASES.extend((op, {k: str(v) for k, v in setting.items()}, inputs) for setting in settings or ({},))


def positive(*shape):
    return numpy.abs(numpy.random.default_rng(len(shape)).standard_normal(shape)).astype("f4") + 0.5


def within(low, high, *shape):
    return numpy.random.default_rng(7).uniform(low, high, shape).astype("f4")


def numbers(values, kind="f4"):
    return numpy.array(values, kind)


X = (2, 3, 4)
IMAGE = (2, 4, 7, 8)
SPECIAL = numbers([[-2.5, -1.5, -0.5, -0.0, 0.0, 0.5], [1.5, 2.5, 0.49999997, 1e-3, 3.7, -3.7]])

# Unary functions: three shapes, the third with halves and zeros of both signs.
for op in ("BlockGrad", "_copy", "abs", "ceil", "cos", "cosh", "degrees", "erf", "exp", "expm1", "fix", "floor",
           "logical_not", "negative", "radians", "relu", "rint", "round", "sigmoid", "sign", "sin", "sinh",
           "softsign", "square", "tan", "tanh", "trunc", "arcsinh", "arctan", "cbrt", "MakeLoss", "make_loss", "zeros_like", "ones_like"):
    for shape in (X, (5,), SPECIAL):
        add(op, [shape])
for op in ("log", "log10", "log1p", "log2", "reciprocal", "rsqrt", "sqrt", "rcbrt"):
    for array in (positive(2, 3), positive(5), positive(2, 3, 4) * 100):
        add(op, [array])
for op in ("arccos", "arcsin", "arctanh"):
    for array in (within(-1, 1, 2, 3), within(-.9, .9, 5), within(-.1, .1, 2, 3, 4)):
        add(op, [array])
add("arccosh", [positive(2, 3) + 1], {})
add("arccosh", [positive(5) + 1], {})
add("arccosh", [positive(2, 3, 4) * 50 + 1], {})
add("hard_sigmoid", [X], {}, {"alpha": 0.3}, {"alpha": 0.1, "beta": 0.7})
add("smooth_l1", [X], {"scalar": 1.0}, {"scalar": 0.5}, {"scalar": 3.0})
add("clip", [X], {"a_min": -0.5, "a_max": 0.5}, {"a_min": 0, "a_max": 6}, {"a_min": -1, "a_max": -0.25})
add("Activation", [X], *({"act_type": a} for a in ("relu", "sigmoid", "softrelu", "softsign", "tanh")))
add("LeakyReLU", [X], {}, {"act_type": "leaky", "slope": 0.1}, {"act_type": "elu", "slope": 0.7},
    {"act_type": "selu"}, {"act_type": "gelu"}, {"act_type": "rrelu"})
add("LeakyReLU", [IMAGE, (4,)], {"act_type": "prelu"})
add("LeakyReLU", [IMAGE, (1,)], {"act_type": "prelu"})
add("LeakyReLU", [(3, 5), (5,)], {"act_type": "prelu"})
add("Dropout", [X], {"p": 0.5}, {"p": 0.9, "axes": "(1,)"}, {"p": 0.0})

add("gamma", [positive(2, 3)])
add("gamma", [within(-2.9, -2.1, 2, 3)])
add("gamma", [positive(5) * 9])
add("gammaln", [positive(2, 3)])
add("gammaln", [within(-2.9, -2.1, 2, 3)])
add("gammaln", [positive(5) * 900])

# Binary functions.
for op in ("elemwise_add", "elemwise_sub", "elemwise_mul", "elemwise_div", "_maximum", "_minimum", "_hypot",
           "_grad_add", "_mod"):
    for shape in (X, (7,), (2, 1, 3, 2)):
        add(op, [shape, shape])
for op in ("_equal", "_not_equal", "_greater", "_greater_equal", "_lesser", "_lesser_equal", "_logical_and",
           "_logical_or", "_logical_xor"):
    for shape in ((6,), (2, 3), (2, 1, 3)):
        half = numpy.round(within(-2, 2, *shape))
        add(op, [half, numpy.round(half + within(-1, 1, *shape)[::-1])])
for op in ("add", "sub", "mul", "div", "maximum", "minimum", "hypot", "mod", "equal", "not_equal", "greater",
           "greater_equal", "lesser", "lesser_equal", "logical_and", "logical_or", "logical_xor"):
    for first, second in (((2, 3, 4), (1, 3, 1)), ((1, 5), (4, 1)), ((2, 1, 2, 3), (2, 4, 1, 3))):
        add(f"broadcast_{op}", [numpy.round(within(-2, 2, *first)), numpy.round(within(-2, 2, *second)) + 0.0])
for shape in ((2, 3), (5,), (2, 1, 3)):
    add("_power", [positive(*shape), shape])
    add("broadcast_power", [positive(2, *shape), (2, *shape)])
for op in ("_plus_scalar", "_minus_scalar", "_rminus_scalar", "_mul_scalar", "_div_scalar", "_maximum_scalar",
           "_minimum_scalar", "_hypot_scalar", "_mod_scalar", "_rdiv_scalar", "_rmod_scalar", "_equal_scalar",
           "_not_equal_scalar", "_greater_scalar", "_greater_equal_scalar", "_lesser_scalar",
           "_lesser_equal_scalar", "_logical_and_scalar", "_logical_or_scalar", "_logical_xor_scalar"):
    for scalar in (2, -0.5, 1.25):
        add(op, [numpy.round(within(-4, 4, 3, 5)) / 2 + (0.25 if op[1:3] == "rd" else 0)], {"scalar": scalar})
for scalar in (2, -0.5, 1.25):
    add("_power_scalar", [positive(2, 3)], {"scalar": scalar})
    add("_rpower_scalar", [X], {"scalar": abs(scalar)})
add("_plus_scalar", [numbers([[1, 2], [3, -4]], "i4")], {"scalar": 3}, {"scalar": -7})
add("_mul_scalar", [numbers([[1, 2], [3, -4]], "i8")], {"scalar": 3}, {"scalar": -7})
add("add_n", [X, X, X], {"num_args": 3})
add("add_n", [X], {"num_args": 1})
add("add_n", [(5,)] * 6, {"num_args": 6})

# Moves and shapes.
add("Reshape", [(2, 3, 4, 5)], {"shape": "(0, -1)"}, {"shape": "(-3, 0, 0)"}, {"shape": "(0, -4, -1, 3, -2)"},
    {"shape": "(-4, 1, 2, -2)"}, {"shape": "(-1, 0)", "reverse": "True"}, {"shape": "(0, 0, -3)", "reverse": "True"}, {"shape": "(6, 1, -1)"}, {"shape": "(-2, 1, 1)"},
    {"shape": "(60, 2)"}, {"shape": "(0, 0, -1)"})
add("Flatten", [(2, 3, 4)])
add("Flatten", [(5, 1)])
add("Flatten", [(2, 3, 1, 2)])
add("expand_dims", [X], {"axis": 0}, {"axis": -1}, {"axis": 2})
add("squeeze", [(1, 3, 1, 2)], {}, {"axis": "(0,)"}, {"axis": "(0, 2)"}, {"axis": -2})
add("transpose", [X], {}, {"axes": "(1, 0, 2)"}, {"axes": "(2, 0, 1)"})
add("SwapAxis", [X], {"dim1": 0, "dim2": 1}, {"dim1": 0, "dim2": 2}, {"dim1": 2, "dim2": 1})
add("reverse", [X], {"axis": "(0,)"}, {"axis": "(1, 2)"}, {"axis": "2"})
add("slice", [(5, 6, 7)], {"begin": "(1, 2)", "end": "(4, 5)"}, {"begin": "(None, -4)", "end": "(None, -1)"},
    {"begin": "(4, None, 5)", "end": "(0, None, None)", "step": "(-2, 1, -1)"},
    {"begin": "(0, 1, 2)", "end": "(5, None, 7)", "step": "(2, 3, 4)"})
add("slice_axis", [(5, 6, 7)], {"axis": 0, "begin": 1, "end": 3}, {"axis": -1, "begin": -3, "end": "None"},
    {"axis": 1, "begin": 0, "end": -1})
add("slice_like", [(5, 6, 7), (2, 3, 4)], {}, {"axes": "(0, 2)"}, {"axes": "(-1,)"})
add("Concat", [(2, 3), (2, 5)], {"dim": 1, "num_args": 2})
add("Concat", [(2, 3), (1, 3), (4, 3)], {"dim": 0, "num_args": 3}, {"dim": -2, "num_args": 3})
add("stack", [X, X], {"axis": 0, "num_args": 2}, {"axis": 2, "num_args": 2}, {"axis": -1, "num_args": 2})
add("SliceChannel", [(2, 6, 3)], {"num_outputs": 3}, {"num_outputs": 3, "axis": 2},
    {"num_outputs": 2, "axis": 0, "squeeze_axis": "True"}, {"num_outputs": 6, "squeeze_axis": 1})
add("_split_v2", [(6, 4)], {"indices": "(0, 2, 3)", "axis": 0}, {"indices": "(0,)", "sections": 2, "axis": 1},
    {"indices": "(0, 1)", "axis": 1})
add("tile", [(2, 3)], {"reps": "(2, 1)"}, {"reps": "(2,)"}, {"reps": "(2, 1, 3)"})
add("repeat", [(2, 3)], {"repeats": 2}, {"repeats": 3, "axis": 0}, {"repeats": 2, "axis": -1})
add("Pad", [(1, 2, 4, 5)], {"mode": "constant", "pad_width": "(0, 0, 0, 0, 1, 2, 3, 1)", "constant_value": 1.5},
    {"mode": "edge", "pad_width": "(0, 0, 0, 0, 2, 1, 1, 0)"},
    {"mode": "reflect", "pad_width": "(0, 0, 0, 0, 1, 1, 2, 3)"})
add("broadcast_axis", [(2, 1, 3, 1)], {"axis": "(1,)", "size": "(4,)"}, {"axis": "(1, 3)", "size": "(2, 5)"},
    {"axis": 3, "size": 3})
add("broadcast_to", [(1, 3, 1)], {"shape": "(2, 3, 4)"}, {"shape": "(2, 0, 1)"}, {"shape": "(0, 0, 6)"})
add("broadcast_like", [(1, 3, 1), (2, 3, 4)], {}, {"lhs_axes": "(0,)", "rhs_axes": "(2,)"},
    {"lhs_axes": "(0, 2)", "rhs_axes": "(0, 1)"})
add("reshape_like", [(2, 12), (4, 3, 2)], {}, {"lhs_begin": 1, "lhs_end": 2, "rhs_begin": 0, "rhs_end": 2},
    {"lhs_begin": 0, "lhs_end": "None", "rhs_begin": 0, "rhs_end": "None"})
add("shape_array", [X])
add("shape_array", [(5,)])
add("shape_array", [(1, 2, 3, 4)])
add("size_array", [X])
add("size_array", [(5,)])
add("size_array", [(1, 2, 3, 4)])
add("depth_to_space", [(1, 8, 2, 3)], {"block_size": 2})
add("depth_to_space", [(2, 9, 2, 2)], {"block_size": 3})
add("depth_to_space", [(2, 16, 2, 2)], {"block_size": 4})
add("space_to_depth", [(1, 2, 4, 6)], {"block_size": 2})
add("space_to_depth", [(2, 1, 6, 3)], {"block_size": 3})
add("space_to_depth", [(1, 1, 4, 4)], {"block_size": 4})

# Contractions.
add("FullyConnected", [(3, 4, 2), (5, 8), (5,)], {"num_hidden": 5})
add("FullyConnected", [(3, 4, 2), (5, 2), (5,)], {"num_hidden": 5, "flatten": "False"})
add("FullyConnected", [(3, 8), (5, 8)], {"num_hidden": 5, "no_bias": "True"})
add("FullyConnected", [(2, 3, 4, 2), (6, 2)], {"num_hidden": 6, "flatten": "false", "no_bias": 1})
add("Convolution", [IMAGE, (6, 4, 3, 3), (6,)], {"kernel": "(3, 3)", "num_filter": 6},
    {"kernel": "(3, 3)", "num_filter": 6, "stride": "(2, 1)", "pad": "(1, 2)", "dilate": "(2, 1)"})
add("Convolution", [IMAGE, (6, 2, 2, 3)],
    {"kernel": "(2, 3)", "num_filter": 6, "num_group": 2, "no_bias": "True", "pad": "(1, 0)"})
add("Convolution", [(2, 3, 9), (4, 3, 3), (4,)], {"kernel": "(3,)", "num_filter": 4, "stride": "(2,)", "pad": "(1,)"})
add("Convolution", [(1, 2, 4, 5, 6), (3, 2, 2, 2, 2), (3,)],
    {"kernel": "(2, 2, 2)", "num_filter": 3, "stride": "(1, 2, 1)", "pad": "(1, 0, 1)"})
add("Deconvolution", [(2, 3, 4, 5), (3, 2, 3, 3)], {"kernel": "(3, 3)", "num_filter": 2},
    {"kernel": "(3, 3)", "num_filter": 2, "stride": "(2, 2)", "pad": "(1, 1)", "adj": "(1, 1)"},
    {"kernel": "(3, 3)", "num_filter": 2, "stride": "(2, 3)", "target_shape": "(8, 14)"})
add("Deconvolution", [(2, 4, 4, 5), (4, 3, 2, 3), (6,)],
    {"kernel": "(2, 3)", "num_filter": 6, "num_group": 2, "no_bias": "False", "stride": "(2, 1)", "dilate": "(1, 2)"})
add("Deconvolution", [(2, 3, 5), (3, 4, 4)], {"kernel": "(4,)", "num_filter": 4, "stride": "(2,)", "pad": "(1,)"})
add("khatri_rao", [(2, 3), (4, 3)], {"num_args": 2})
add("khatri_rao", [(2, 3), (4, 3), (2, 3)], {"num_args": 3})
add("khatri_rao", [(5, 1), (2, 1)], {"num_args": 2})
add("dot", [(3, 4), (4, 5)])
add("dot", [(4, 3), (5, 4)], {"transpose_a": "True", "transpose_b": "True"})
add("dot", [(2, 3, 4), (4, 5)])
add("dot", [(3, 4), (4, 2, 5)])
add("dot", [(4,), (4,)])
add("dot", [(4, 2, 3), (4, 5)], {"transpose_a": "True"})
add("batch_dot", [(2, 3, 4), (2, 4, 5)])
add("batch_dot", [(2, 4, 3), (2, 4, 5)], {"transpose_a": "True"})
add("batch_dot", [(2, 3, 4), (2, 5, 4)], {"transpose_b": "True"})
add("batch_dot", [(2, 4, 3), (2, 5, 4)], {"transpose_a": "True", "transpose_b": "True"})
add("_linalg_gemm2", [(2, 3, 4), (2, 4, 5)], {}, {"alpha": 0.5})
add("_linalg_gemm2", [(2, 3, 4), (2, 5, 4)], {"transpose_b": "True", "alpha": -2.0})
add("_contrib_interleaved_matmul_selfatt_qk", [(5, 2, 24)], {"heads": 2}, {"heads": 1}, {"heads": 4})
add("_contrib_interleaved_matmul_selfatt_valatt", [(5, 2, 24), (4, 5, 5)], {"heads": 2})
add("_contrib_interleaved_matmul_selfatt_valatt", [(5, 2, 24), (2, 5, 5)], {"heads": 1})
add("_contrib_interleaved_matmul_selfatt_valatt", [(5, 1, 24), (4, 5, 5)], {"heads": 4})
add("_contrib_interleaved_matmul_encdec_qk", [(3, 2, 8), (5, 2, 16)], {"heads": 2}, {"heads": 1}, {"heads": 4})
add("_contrib_interleaved_matmul_encdec_valatt", [(5, 2, 16), (4, 3, 5)], {"heads": 2})
add("_contrib_interleaved_matmul_encdec_valatt", [(5, 2, 16), (2, 3, 5)], {"heads": 1})
add("_contrib_interleaved_matmul_encdec_valatt", [(5, 1, 16), (4, 3, 5)], {"heads": 4})
add("_contrib_div_sqrt_dim", [(2, 3, 4)])
add("_contrib_div_sqrt_dim", [(2, 5)])
add("_contrib_div_sqrt_dim", [(3, 2, 2, 7)])

# Normalization.
STATISTICS = [IMAGE, (4,), (4,), (4,), positive(4)]
add("BatchNorm", STATISTICS, {}, {"fix_gamma": "False", "eps": 1e-5}, {"fix_gamma": "True", "eps": 0.01},
    {"fix_gamma": 0, "use_global_stats": "True", "momentum": 0.5})
add("BatchNorm", [(2, 7, 8, 4), *STATISTICS[1:]], {"axis": 3, "fix_gamma": "False"}, {"axis": -1})
add("BatchNorm", [(6, 4), *STATISTICS[1:]], {"fix_gamma": "False"})
add("LayerNorm", [(2, 3, 6), (6,), (6,)], {}, {"eps": 0.1})
add("LayerNorm", [(2, 3, 6), (3,), (3,)], {"axis": 1})
add("GroupNorm", [(2, 6, 4, 3), (2,), (2,)], {"num_groups": 2})
add("GroupNorm", [(2, 6, 4, 3), (3,), (3,)], {"num_groups": 3, "eps": 0.01})
add("GroupNorm", [(2, 6, 5), (1,), (1,)], {"num_groups": 1})
add("InstanceNorm", [IMAGE, (4,), (4,)], {}, {"eps": 0.1})
add("InstanceNorm", [(2, 3, 9), (3,), (3,)], {"eps": 1e-5})
add("L2Normalization", [IMAGE], {}, {"mode": "channel", "eps": 0.1}, {"mode": "spatial"})
add("LRN", [(2, 6, 3, 4)], {"nsize": 3}, {"nsize": 5, "alpha": 0.1, "beta": 0.5, "knorm": 1}, {"nsize": 1, "alpha": 1})
add("softmax", [X], {}, {"axis": 1}, {"axis": 0, "temperature": 2.5}, {"temperature": 0.3})
add("softmax", [(2, 3, 5), numbers([[1, 5, 3], [2, 4, 5]], "i4")], {"use_length": "True", "axis": -1})
add("softmax", [(2, 5, 3), numbers([[1, 5, 3], [2, 4, 5]], "i4")], {"use_length": "True", "axis": 1},
    {"use_length": "True", "axis": 1, "temperature": 3.0})
add("softmin", [X], {}, {"axis": 1}, {"axis": 0, "temperature": 2.5})
add("log_softmax", [X], {}, {"axis": 1}, {"axis": 0, "temperature": 2.5})
add("SoftmaxActivation", [IMAGE], {}, {"mode": "channel"})
add("SoftmaxActivation", [(3, 5)], {})
add("SoftmaxOutput", [(3, 5), (3,)], {}, {"grad_scale": 2.0})
add("SoftmaxOutput", [(2, 3, 4), (2, 4)], {"multi_output": "True"})
add("SoftmaxOutput", [(2, 3, 4), (2, 3)], {"preserve_shape": "True"})
add("LinearRegressionOutput", [(3, 2), (3, 2)], {}, {"grad_scale": 2.0}, {"grad_scale": 0.1})
add("LogisticRegressionOutput", [(3, 2), (3, 2)], {}, {"grad_scale": 2.0}, {"grad_scale": 0.1})
add("MAERegressionOutput", [(3, 2), (3, 2)], {}, {"grad_scale": 2.0}, {"grad_scale": 0.1})

# Reductions.
for op in ("sum", "mean", "prod", "max", "min", "nansum", "nanprod"):
    add(op, [X], {}, {"axis": 1}, {"axis": "(0, 2)", "keepdims": "True"}, {"axis": 1, "exclude": "True"},
        {"axis": "(-1,)", "keepdims": 1}, {"axis": "()"})
add("nansum", [numbers([[1, numpy.nan, 3], [4, 5, numpy.nan]])], {}, {"axis": 1})
add("norm", [X], {}, {"ord": 1, "axis": 1}, {"ord": 2, "axis": "(0, 1)", "keepdims": "True"})
for op in ("argmax", "argmin"):
    add(op, [X], {"axis": 1}, {"axis": -1, "keepdims": "True"}, {}, {"axis": 0})
add("argmax_channel", [(3, 5)])
add("argmax_channel", [(1, 7)])
add("argmax_channel", [(6, 2)])
add("sort", [X], {}, {"axis": 1, "is_ascend": "False"}, {"axis": 0})
add("argsort", [X], {}, {"axis": 1, "is_ascend": "False"}, {"axis": 0, "dtype": "int32"})
add("topk", [X], {"k": 2}, {"k": 2, "ret_typ": "value", "axis": 1}, {"k": 3, "ret_typ": "both", "is_ascend": "True"},
    {"k": 0, "axis": 0, "dtype": "int32"})
add("_np_cumsum", [X], {"axis": 1}, {"axis": 2}, {})

add("moments", [(2, 3, 4)], {"axes": "(0, 2)"}, {"axes": "(1,)", "keepdims": "True"}, {"axes": "(-1,)"})

# Images.
for kind in ("max", "avg", "sum", "lp"):
    p = {"p_value": 2} if kind == "lp" else {}
    add("Pooling", [IMAGE], *({"pool_type": kind, **p, **more} for more in (
        {"kernel": "(2, 2)"}, {"kernel": "(3, 2)", "stride": "(2, 3)", "pad": "(1, 0)"},
        {"kernel": "(3, 3)", "stride": "(2, 2)", "pooling_convention": "full"},
        {"kernel": "(3, 3)", "stride": "(2, 2)", "pad": "(1, 1)", "pooling_convention": "full"},
        {"kernel": "(7, 7)", "global_pool": "True"})))
add("Pooling", [IMAGE], {"pool_type": "avg", "kernel": "(3, 3)", "pad": "(1, 1)", "count_include_pad": "False"},
    {"pool_type": "avg", "kernel": "(3, 3)", "pad": "(1, 1)", "stride": "(2, 2)", "count_include_pad": "False",
     "pooling_convention": "full"})
add("Pooling", [(2, 3, 10)], {"pool_type": "max", "kernel": "(3,)", "stride": "(2,)", "pad": "(0, 0, 0)", "pooling_convention": "same"},
    {"pool_type": "avg", "kernel": "(3,)", "stride": "(2,)", "pad": "(1,)"},
    {"pool_type": "max", "kernel": "(4,)", "pad": "(0, 0, 0)", "pooling_convention": "same"})
add("Pooling", [(1, 2, 4, 5, 6)], {"pool_type": "avg", "kernel": "(2, 2, 3)", "stride": "(1, 2, 2)"},
    {"pool_type": "lp", "p_value": 3, "kernel": "(2, 2, 2)"}, {"pool_type": "max", "kernel": "(2, 3, 2)"})
add("UpSampling", [IMAGE], {"scale": 2, "sample_type": "nearest", "num_args": 1},
    {"scale": 3, "sample_type": "nearest", "num_args": 1})
add("UpSampling", [(1, 2, 4, 6), (1, 3, 2, 3)], {"scale": 2, "sample_type": "nearest", "num_args": 2})
add("UpSampling", [(1, 2, 4, 6), (1, 2, 2, 3)],
    {"scale": 1, "sample_type": "nearest", "num_args": 2, "multi_input_mode": "sum"})
add("_contrib_BilinearResize2D", [(1, 2, 4, 5)], {"height": 7, "width": 3}, {"height": 8, "width": 10},
    {"height": 2, "width": 9, "align_corners": "False"}, {"scale_height": 2.0, "scale_width": 3.0, "mode": "size"})
add("_contrib_AdaptiveAvgPooling2D", [IMAGE], {"output_size": "(3, 3)"}, {"output_size": "(1,)"}, {},
    {"output_size": "(7, 5)"})
REGIONS = numbers([[0, 0, 0, 6, 5], [1, 1.5, 2, 7, 6], [0, 3, 3, 3.2, 3.1]])
add("_contrib_ROIAlign", [IMAGE, REGIONS], {"pooled_size": "(2, 3)", "spatial_scale": 1.0, "sample_ratio": 2},
    {"pooled_size": "(3, 3)", "spatial_scale": 0.5}, {"pooled_size": "(2, 2)", "spatial_scale": 1.0, "aligned": "True"})

add("ROIPooling", [IMAGE, REGIONS], {"pooled_size": "(2, 3)", "spatial_scale": 1.0},
    {"pooled_size": "(3, 3)", "spatial_scale": 0.5}, {"pooled_size": "(7, 9)", "spatial_scale": 0.9})
add("Crop", [IMAGE], {"num_args": 1, "h_w": "(3, 4)"}, {"num_args": 1, "h_w": "(3, 4)", "offset": "(2, 1)"},
    {"num_args": 1, "h_w": "(4, 5)", "center_crop": "True"})
add("Crop", [IMAGE, (1, 2, 5, 3)], {"num_args": 2}, {"num_args": 2, "center_crop": "True"})
add("GridGenerator", [(2, 6)], {"transform_type": "affine", "target_shape": "(3, 4)"})
add("GridGenerator", [(1, 6)], {"transform_type": "affine", "target_shape": "(1, 2)"},
    {"transform_type": "affine", "target_shape": "(5, 5)"})
add("GridGenerator", [(2, 2, 3, 4)], {"transform_type": "warp"})
_CORNERS = numpy.concatenate([within(0, 4, 6, 2), within(3, 7, 6, 2)], axis=1)
for _format in ("corner", "center"):
    add("_contrib_box_iou", [_CORNERS, _CORNERS[::-1][:4]], {"format": _format})
    add("_contrib_box_iou", [_CORNERS.reshape(2, 3, 4), numpy.zeros((5, 4), "f4")], {"format": _format})

_BOXES = numpy.concatenate([numpy.repeat([[0.0], [1], [0], [2]], 5, axis=0), within(-0.2, 1, 20, 1),
                            within(0, 4, 20, 2), within(4, 7, 20, 2)], axis=1).astype("f4")
add("_contrib_box_nms", [_BOXES], {}, {"id_index": 0, "overlap_thresh": 0.3}, {"id_index": 0, "topk": 6,
    "valid_thresh": 0.2, "background_id": 1, "overlap_thresh": 0.6}, {"overlap_thresh": 0.2, "force_suppress": "True",
                                                                   "id_index": 0, "out_format": "center"})
add("_contrib_box_nms", [_BOXES.reshape(2, 10, 6)], {"in_format": "center", "overlap_thresh": 0.1},
    {"in_format": "center", "out_format": "corner", "id_index": 0, "overlap_thresh": 0.4, "topk": 3}, {"topk": 0})

# Indices.
INDICES = numbers([[0, 2, 5], [-1, 1, 9]])
add("take", [(4, 3), INDICES], {}, {"axis": 1}, {"mode": "wrap", "axis": 0}, {"mode": "clip", "axis": -1})
add("Embedding", [numbers([[0, 2, 3], [1, 1, 0]]), (4, 5)], {"input_dim": 4, "output_dim": 5})
add("Embedding", [numbers([0, 3], "i4"), (4, 5)], {"input_dim": 4, "output_dim": 5})
add("Embedding", [numbers([[[1]]], "i8"), (4, 5)], {"input_dim": 4, "output_dim": 5, "dtype": "float32"})
add("batch_take", [(3, 4), numbers([0, 3, 2], "i4")])
add("batch_take", [(1, 4), numbers([1], "i4")])
add("batch_take", [(2, 2), numbers([1, 0], "i4")])
add("pick", [(3, 4), numbers([0, 3, 2])], {"axis": 1}, {"axis": -1, "keepdims": "True"}, {})
add("pick", [(3, 4), numbers([0, 5, -1, 2])], {"axis": 0, "mode": "wrap"}, {"axis": 0})
add("gather_nd", [(3, 4, 2), numbers([[0, 2, 1], [3, 0, 1]])])
add("gather_nd", [(3, 4, 2), numbers([[0, 2]], "i4")])
add("gather_nd", [(3, 4, 2), numbers([[[0], [2]], [[1], [1]], [[1], [0]]], "i8")])
add("one_hot", [numbers([0, 2, 3])], {"depth": 3}, {"depth": 5, "on_value": 2.0, "off_value": -1.0},
    {"depth": 4, "dtype": "int32"})
add("one_hot", [numbers([[1, -1]], "i4")], {"depth": 3})
add("where", [numbers([[1, 0, 1], [0, 0, 2]]), (2, 3), (2, 3)])
add("where", [numbers([1, 0]), (2, 3), (2, 3)])
add("where", [numbers([1, 0, 3], "i4"), (3,), (3,)])
LENGTHS = numbers([1, 3, 2])
for op in ("SequenceMask", "SequenceLast"):
    more = {"value": -1.5} if op == "SequenceMask" else {}
    add(op, [(4, 3, 2), LENGTHS], {"use_sequence_length": "True"}, {"use_sequence_length": "True", **more})
    add(op, [(3, 4, 2), LENGTHS], {"use_sequence_length": "True", "axis": 1, **more})
    add(op, [(4, 3, 2)], {})
add("SequenceReverse", [(4, 3, 2), LENGTHS], {"use_sequence_length": "True"})
add("SequenceReverse", [(4, 3, 2, 2), LENGTHS], {"use_sequence_length": "True"})
add("SequenceReverse", [(4, 3)], {})

add("scatter_nd", [(3,), numbers([[0, 2, 1], [3, 0, 1]])], {"shape": "(3, 4)"})
add("scatter_nd", [(2, 4), numbers([[2, 0]], "i4")], {"shape": "(3, 4)"})
add("scatter_nd", [(2,), numbers([[0, 1], [1, 0], [1, 1]], "i8")], {"shape": "(2, 2, 2)"})
add("diag", [(4,)], {}, {"k": 2}, {"k": -1})
add("diag", [(3, 5)], {}, {"k": 2}, {"k": -1})
add("diag", [(2, 3, 4)], {}, {"axis1": 1, "axis2": 2, "k": 1}, {"axis1": -1, "axis2": 0})

# Generated values.
add("_arange", [], {"start": 5}, {"start": 1, "stop": 8, "step": 2}, {"start": 0, "stop": 3, "repeat": 2},
    {"start": 5, "stop": 0, "step": -1.5, "dtype": "float32"}, {"start": 0, "stop": 5, "dtype": "int32"})
add("_contrib_arange_like", [(2, 5)], {"axis": 1}, {"start": 3, "step": 2}, {"axis": 0, "step": 0.5})
add("_zeros", [], {"shape": "(2, 3)"}, {"shape": "(5,)", "dtype": "int32"}, {"shape": "(1, 1)"})
add("_ones", [], {"shape": "(2, 3)"}, {"shape": "(5,)", "dtype": "int32"}, {"shape": "(1, 1)"})
add("_full", [], {"shape": "(2, 3)", "value": 2.5}, {"shape": "(5,)", "value": 3, "dtype": "int32"},
    {"shape": "(1,)", "value": -1e10})
add("_eye", [], {"N": 3}, {"N": 3, "M": 5, "k": 1}, {"N": 4, "M": 2, "k": -1, "dtype": "int32"})

# Mixed precision.
add("Cast", [X], {"dtype": "int32"}, {"dtype": "float16"}, {"dtype": "int8"})
add("amp_cast", [X], {"dtype": "float16"}, {"dtype": "float32"})
add("amp_cast", [numbers([1, 2, 3], "i4")], {"dtype": "float16"})
add("amp_multicast", [X, numbers([[1, 2]], "f2"), (3,)], {"num_outputs": 3}, {"num_outputs": 3, "cast_narrow": "True"})
add("amp_multicast", [numbers([[1, 2]], "f2"), numbers([3], "f2")], {"num_outputs": 2})
add("all_finite", [X])
add("all_finite", [numbers([1, numpy.inf, 2])])
add("all_finite", [numbers([1, numpy.nan], "f2")])
add("multi_all_finite", [X, (5,)], {"num_arrays": 2})
add("multi_all_finite", [X, numbers([numpy.inf]), (5,)], {"num_arrays": 3})
add("multi_all_finite", [numbers([-numpy.inf])], {"num_arrays": 1})
add("_npi_add_scalar", [X], {"scalar": 2.0}, {"scalar": -1.5}, {"scalar": 0.25})
