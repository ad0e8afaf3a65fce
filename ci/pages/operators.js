// The page of a framework's operators: which have a policy in a list and version, and which changed since another.
// The address holds the question (#list=float16-cuda&version=2.6.0&since=1.13.1) or names an operator (#op-NAME).
// SPDX-License-Identifier: Apache-2.0
'use strict';

(() => {
  const form = document.getElementById('ask'), data = document.getElementById('history');
  if (!form || !data) return;
  const {values, tables} = JSON.parse(data.textContent);
  const byId = new Map(tables.map(table => [table.id, table]));
  const rows = [...document.querySelectorAll('.ops tbody tr')].map(row => ({
    row, name: row.id.slice(3), text: row.textContent.toLowerCase(),
    cells: new Map([...row.querySelectorAll('[data-table]')].map(cell => [cell.dataset.table, {cell, html: cell.innerHTML}])),
  }));

  const fill = (select, options, value) => {
    select.replaceChildren(...options.map(([id, words]) => new Option(words, id)));
    select.value = options.some(([id]) => id === value) ? value : options[0][0];
    select.disabled = options.length < 2;
  };

  const valueAt = (table, name, version) => {
    const letters = table.operators[name], at = table.versions.indexOf(version);
    const letter = letters ? letters[at] : '-';
    return letter === '-' || letter === undefined ? '' : values[letter.charCodeAt(0) - 97];
  };

  // Rebuilds the selects for the list; keeps what is still possible.
  const setUp = state => {
    fill(form.list, [['', 'all'], ...tables.map(table => [table.id, table.words])], state.list);
    const table = byId.get(form.list.value);
    const versions = table ? table.versions : [];
    fill(form.version, versions.length ? versions.map(each => [each, each || 'the shipped one']).reverse() : [['', 'shipped']],
         state.version || (table ? table.versions[table.shown] : ''));
    const used = new Set();
    for (const each of table ? [table] : tables)
      for (const letters of Object.values(each.operators))
        for (const letter of letters) if (letter !== '-') used.add(values[letter.charCodeAt(0) - 97]);
    fill(form.policy, [['', 'any'], ...values.filter(each => used.has(each)).map(each => [each, each])], state.policy);
    const older = versions.slice(0, versions.indexOf(form.version.value));
    fill(form.since, [['', older.length ? 'show all' : 'no older version'], ...older.reverse().map(each => [each, each])], state.since);
  };

  const tag = value => {
    const word = document.createElement('span');
    word.textContent = value || '-';
    if (value && !/^(takes|does not)$/.test(value)) word.className = `tag ${value}`;
    return word;
  };

  const showCell = (entry, table, name, state) => {
    const now = valueAt(table, name, state.version), before = state.since ? valueAt(table, name, state.since) : now;
    entry.cell.replaceChildren(tag(now));
    if (now !== before) {
      const was = document.createElement('span');
      was.className = 'was';
      was.textContent = `in ${state.since}: ${before || 'no entry'}`;
      entry.cell.append(was);
    }
    return {now, changed: now !== before};
  };

  const fits = (entry, table, state, words) => {
    if (!words.every(word => entry.text.includes(word))) return false;
    if (!table) {
      return !state.policy || tables.some(each => valueAt(each, entry.name, each.versions[each.shown]) === state.policy);
    }
    const {now, changed} = showCell(entry.cells.get(table.id), table, entry.name, state);
    return (state.since ? changed : now !== '') && (!state.policy || now === state.policy);
  };

  const show = () => {
    const state = {list: form.list.value, version: form.version.value, policy: form.policy.value, since: form.since.value};
    const table = byId.get(state.list), words = form.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const head of document.querySelectorAll('.ops thead [data-table]'))
      head.hidden = Boolean(table) && head.dataset.table !== table.id;
    let count = 0;
    for (const entry of rows) {
      for (const [id, {cell, html}] of entry.cells) {
        cell.hidden = Boolean(table) && id !== table.id;
        if (!table || id !== table.id) cell.innerHTML = html;
      }
      entry.row.hidden = !fits(entry, table, state, words);
      count += entry.row.hidden ? 0 : 1;
    }
    document.getElementById('count').textContent = `${count} of ${rows.length} operators`;
    return state;
  };

  // What was chosen becomes the address, so that it can be sent to somebody.
  const remember = state => {
    const chosen = Object.entries(state).filter(([key, value]) => value && (key !== 'version' || state.list));
    history.replaceState(null, '', chosen.length ? '#' + new URLSearchParams(chosen) : location.pathname + location.search);
  };

  const choose = changed => {
    const state = {list: form.list.value, policy: form.policy.value, since: form.since.value,
                   version: changed === 'list' ? '' : form.version.value};
    setUp(state);
    remember(show());
  };

  const follow = () => {
    const hash = location.hash.slice(1);
    const asked = /^(list|policy|version|since)=/.test(hash) ? Object.fromEntries(new URLSearchParams(hash)) : {};
    form.q.value = '';
    setUp(asked);
    show();
    const target = hash && !asked.list ? document.getElementById(decodeURIComponent(hash)) : null;
    if (target) target.scrollIntoView();
    else if (asked.list) document.getElementById('all').scrollIntoView();
  };

  form.addEventListener('change', event => choose(event.target.id));
  form.q.addEventListener('input', show);
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(() => {
    setUp({});
    remember(show());
  }));
  addEventListener('hashchange', follow);
  form.hidden = false;
  follow();
})();
