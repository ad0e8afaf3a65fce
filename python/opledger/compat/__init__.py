"""The functions of other converters with their own signatures: change the import, keep the call.

    from opledger.compat.onnxconverter_common import convert_float_to_float16
    from opledger.compat.onnxruntime import convert_float_to_float16
    from opledger.compat import mxnet_1 as amp   # mxnet.contrib.amp of MXNet 1
    from opledger.compat import mxnet_2 as amp   # mxnet.amp of MXNet 2

Each docstring, and python/README.md, lists the differences. Nothing is silently ignored: an argument that is not
supported raises NotImplementedError.
"""
# SPDX-License-Identifier: Apache-2.0
