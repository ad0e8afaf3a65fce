#!/usr/bin/env python3
"""Neovim, set up as checker/README.md says, on a copy of tests/demo: it shows the finding, hovers,
completes in a list and applies an action, which writes what `opledger classify` writes. Skipped
without nvim."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scan"))
from scanning import expect, main  # noqa: E402

SESSION = """
local said = {}
local function request(method, params)
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, params, 60000) or {}) do
    if answer.result then return answer.result end
  end
end
local function attached()
  return vim.wait(60000, function() return next(vim.lsp.buf_get_clients(0)) ~= nil end, 20)
end

vim.cmd('edit src/activation.cc')
said.attached = attached()
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 20)
said.diagnostics = vim.diagnostic.get(0)
vim.api.nvim_win_set_cursor(0, {8, 36})
said.hover = request('textDocument/hover', vim.lsp.util.make_position_params())
local source = vim.lsp.util.make_range_params()
source.context = {diagnostics = vim.lsp.diagnostic.get_line_diagnostics()}
said.actions = request('textDocument/codeAction', source)

vim.cmd('edit lists/float16.json')
attached()
vim.api.nvim_buf_set_lines(0, 6, 6, false, {'    "hard'})
vim.api.nvim_win_set_cursor(0, {7, 9})
local at = vim.lsp.util.make_position_params()
at.position.character = 9
said.completion = vim.lsp.util.text_document_completion_list_to_complete_items(
  request('textDocument/completion', at), 'hard')
vim.cmd('edit!')

for _, action in ipairs(said.actions or {}) do
  if action.title:find(' as fp32 in float16', 1, true) then
    vim.lsp.util.apply_workspace_edit(action.edit, 'utf-16')
  end
end
vim.cmd('wall')
vim.cmd('buffer activation.cc')
said.gone = vim.wait(60000, function() return #vim.diagnostic.get(0) == 0 end, 20)
local out = io.open('said.json', 'w')
out:write(vim.json.encode(said))
out:close()
vim.cmd('qall!')
"""


def test_neovim(bin_folder, folder):
    (setup,) = re.findall(r"^```lua\n(.*?)^```$", (ROOT / "checker/README.md").read_text(), re.MULTILINE | re.DOTALL)
    demo, other = folder / "demo", folder / "other"
    for copy in (demo, other):
        shutil.copytree(ROOT / "tests/demo", copy)
    (folder / "init.lua").write_text("vim.cmd('filetype on')\n" + setup)
    (folder / "session.lua").write_text(SESSION)
    environment = {
        "PATH": f"{bin_folder}:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8",
        "XDG_STATE_HOME": str(folder / "state"), "XDG_CACHE_HOME": str(folder / "cache"),
        "OPLEDGER_CACHE_DIR": str(folder / "opledger"),
        **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}
    done = subprocess.run(["nvim", "--headless", "-u", folder / "init.lua", "-n", "-S", folder / "session.lua"],
                          cwd=demo, env=environment, text=True, capture_output=True, timeout=300, check=False)
    expect(f"status of nvim: {done.stderr}", done.returncode, 0)
    said = json.loads((demo / "said.json").read_text())
    (found,) = said["diagnostics"]
    expect("the finding", (found["code"], found["lnum"], found["col"], found["end_col"], found["source"]),
           ("unclassified-operator", 7, 34, 44, "opledger"))
    expect("hover", "**unclassified**" in said["hover"]["contents"]["value"], True)
    expect("completion", [each["word"] for each in said["completion"]], ['hard_swish"'])
    expect("actions", len(said["actions"]), 4)
    expect("the finding is gone", said["gone"], True)
    subprocess.run([bin_folder / "opledger", "-q", "classify", "hard_swish", "--as", "fp32", "--list", "float16"],
                   cwd=other, env=environment, check=True)
    expect("the list", (demo / "lists/float16.json").read_bytes(), (other / "lists/float16.json").read_bytes())


if __name__ == "__main__":
    if shutil.which("nvim", path="/usr/bin:/bin") is None:
        print("SKIPPED: missing: nvim; ci/setup installs it")
        sys.exit(77)
    sys.exit(main(globals()))
