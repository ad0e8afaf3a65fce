"""Modules in which a list is changed, or only read, in a way that its assignments do not show,
after

    FP16 = ['alpha']
    FP32 = ['gamma', 'delta']

In the first group, CPython's list changes, or may change."""
# SPDX-License-Identifier: Apache-2.0

import contextlib
import functools
import io
import sys
import types

BASE = "FP16 = ['alpha']\nFP32 = ['gamma', 'delta']\n"
CHANGED = r'''
try:
    FP32.remove('gamma')
except ValueError:
    pass
---
import sys
if sys.version_info >= (3,):
    FP32.remove('gamma')
---
if cuda():
    FP32.remove('gamma')
---
if X:
    FP32 = ['exp']
---
from m import *
---
try:
    from m import *
except ImportError:
    pass
---
if X:
    from m import *
---
strip(FP32)
---
list(map(FP32.remove, ['gamma']))
---
list.remove(FP32, 'gamma')
---
import heapq
heapq.heappop(FP32)
---
import bisect
bisect.insort(FP32, 'a')
---
import operator
operator.iadd(FP32, ['a'])
---
assert FP32.pop(0)
---
drop = FP32.remove
drop('gamma')
---
[FP32 := ['q'] for _ in [1]]
---
[FP32 := ['q'] for _ in unknown()]
---
match x:
    case FP32: pass
---
globals()['FP32'] = ['q']
---
import sys
setattr(sys.modules[__name__], 'FP32', ['q'])
---
exec("FP32.remove('gamma')")
---
vars()['FP32'].remove('gamma')
---
import sys
sys.modules[__name__].FP32 = ['q']
---
def deco(f):
    FP32.remove('gamma')
    return f
@deco
def g(): pass
---
def deco(f):
    wipe()
    return f
def wipe():
    FP32.remove('gamma')
@deco
def g(): pass
---
class S:
    def strip(self, names):
        names.remove('gamma')
S().strip(FP32)
---
class S:
    def __init__(self):
        FP32.remove('gamma')
S()
---
def strip():
    FP32.remove('gamma')
run(strip)
---
def strip():
    global FP32
    FP32 = ['q']
run(strip)
---
def strip():
    FP32.remove('gamma')
hooks = {'a': strip}
hooks['a']()
---
hook = lambda: FP32.clear()
hook()
---
f = lambda x: x.clear()
f(FP32)
---
alias = FP32
strip(alias)
---
pair = (FP32, FP16)
strip(pair)
---
for each in (FP32, FP16):
    strip(each)
---
cuda() and FP32.remove('gamma')
---
FP32.remove('gamma') if cuda() else None
---
[FP32.remove(x) for x in names()]
---
[FP32.remove(x) for x in ['gamma'] if cuda(x)]
---
try:
    FP32 = ['zeta']
except ImportError:
    FP32 = ['eta']
---
import os
FP32 = ['zeta'] if os.environ.get('X') else ['eta']
---
import os
if os.environ.get('X'):
    FP32 = ['zeta']
else:
    FP32 = ['eta']
---
def lists():
    if cuda():
        return ['zeta']
    return ['eta']
FP32 = lists()
---
try:
    import nothing_of_this_name
except ImportError as FP32:
    pass
---
for FP32 in unknown(): pass
---
import functools
functools.reduce(lambda a, b: a.remove(b), ['gamma'], FP32)
---
FP32.__delitem__(0)
---
getattr(FP32, 'remove')('gamma')
---
type(FP32).remove(FP32, 'gamma')
---
X = [FP32]
X[0].remove('gamma')
strip(*X)
---
del FP32[n():]
---
FP32[cuda()] = 'q'
---
def outer():
    def inner():
        FP32.remove('gamma')
    inner()
run(outer)
---
def gen():
    yield FP32.remove('gamma')
list(gen())
---
class K:
    FP32.remove('gamma') if cuda() else None
---
import sys
this = sys.modules[__name__]
delattr(this, 'FP32')
---
def f(names=FP32):
    names.remove('gamma')
run(f)
---
def outer(names):
    def inner():
        names.remove('gamma')
    return inner
outer(FP32)()
---
def outer(names):
    def inner():
        names.remove('gamma')
    return inner
run(outer(FP32))
---
m.FP32 = FP32
m.FP32.remove('gamma')
---
class C: pass
c = C()
c.names = FP32
c.names.clear()
---
if not X:
    pass
elif FP32.pop(0):
    pass
---
if n():
    pass
elif FP32.pop(0):
    pass
---
m.known[FP32.pop(0)] = 1
---
print(f'{unknown()} {FP32.pop(0)}')
---
m.known[strip(FP32)] = 1
---
def wipe():
    FP32.clear()
m.known[wipe()] = 1
---
@hook(FP32)
class C: pass
---
def f() -> FP32.pop(0): pass
---
def f():
    exec("FP32.clear()", globals())
f()
---
class C:
    def __init__(self):
        FP32.clear()
def make():
    return C()
make()
---
class C:
    NAMES = FP32
    def wipe(self):
        self.NAMES.clear()
C().wipe()
---
if X:
    def wipe(): FP32.clear()
else:
    def wipe(): pass
wipe()
---
lists = {'a': FP32}
for each in lists.values():
    strip(each)
---
lists = {'a': FP32}
lists['a'].remove('gamma')
---
unknown() + [FP32.pop(0)]
---
sorted(['gamma'], key=FP32.remove)
---
x: FP32.pop(0) = 1
---
if X:
    del FP32[0]
---
m.wipe = lambda: FP32.clear()
m.wipe()
---
def wipe(): FP32.clear()
m.wipe = wipe
m.wipe()
---
if __name__ != '__main__':
    FP32.clear()
---
ops = not X or FP32
ops.clear()
---
ops = X and FP32
ops.clear()
---
ops = {True: FP32}.get(X)
ops.clear()
---
ops = [FP32, FP16][n()]
ops.clear()
---
ops = max([FP32], key=len)
ops.clear()
---
for ops in x and [FP32]:
    ops.clear()
'''[1:].split("---\n")
READ = r'''
if X:
    FP32.append('q')
---
def read():
    return [x for x in FP32 if x not in FP16]
register(read)
---
print(len(FP32), sorted(FP32))
---
def f(FP32):
    FP32.remove('x')
register(f)
---
def f():
    FP32 = []
    FP32.append('x')
    return FP32
register(f)
---
for op in FP32:
    register(op)
---
register(*FP32)
---
register(len(FP32), ','.join(FP32), 'x' in FP32)
---
ALL = FP32 + FP16
BOTH = {'fp32': FP32, 'fp16': FP16}
---
__all__ = ['FP32']
---
def touch(op):
    return op in FP32
X = list(map(touch, ['a']))
---
class C:
    OPS = FP32
    def ops(self): return self.OPS
x = C()
---
assert 'gamma' in FP32
assert len(set(FP32)) == len(FP32)
---
FP32 = FP32 + ['q']
---
def add(name): FP32.append(name)
add('q')
---
FP32.remove('gamma')
'''[1:].split("---\n")


def strip(*lists):
    for each in lists:
        each.clear()


def surroundings():
    """Returns the objects that the modules use."""
    sys.modules["m"] = m = types.ModuleType("m")
    m.FP32 = ["q"]
    m.known = {}
    module = types.ModuleType("__cases__")
    sys.modules["__cases__"] = module
    vars(module).update(m=m, x=["q"], X=True, n=lambda: 0, strip=strip, cuda=lambda *_: True, names=lambda: ["gamma"],
                        hook=lambda names: [strip(names), lambda each: each][1], unknown=lambda: ["q"],
                        run=lambda call: call(), register=lambda *_: None)
    return vars(module)


@functools.cache
def witnessed(text):
    """Returns FP32 in CPython; None if the module raises."""
    module = surroundings()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, "module", "exec"), module)
    except Exception:
        return None
    return module.get("FP32")
