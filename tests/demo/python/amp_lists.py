"""The lists of a framework that keeps them in Python."""
FP16_FUNCS = [
    '_fused_dense_relu',
    'batch_dot',
    'dense',
]
FP32_FUNCS = [
    'exp',
    'softmax',
    'softmax_cross_entropy',
    'sqrt',
]
WIDEST_TYPE_CASTS = [
    'broadcast_equal',
    'broadcast_less',
    'elemwise_add',
    'elemwise_mul',
]
CONDITIONAL_FP32_FUNCS = [
    ('activation', 'act_type', ['softrelu']),
]
FP16_FP32_FUNCS = ['_sample_normal', '_sample_uniform', 'abs', 'sgd_update', 'zeros_like']
