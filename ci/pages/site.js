// What pages do with scripts: searches, and boxes that the keyboard can scroll. Without scripts everything is there
// to read.
// SPDX-License-Identifier: Apache-2.0
'use strict';

// A box that scrolls sideways can be reached by Tab; others would only be in the way.
function reachable() {
  let tables = 0;
  for (const box of document.querySelectorAll('pre.code, .scroll, figure, .contents')) {
    const scrolls = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
    if (!scrolls) {
      box.removeAttribute('tabindex');
      continue;
    }
    box.tabIndex = 0;
    if (box.matches('.scroll')) {
      box.setAttribute('role', 'region');
      box.setAttribute('aria-label', `table ${++tables}`);
    }
  }
}

// Opens the element that holds the target of the address.
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = target && target.closest('details');
  if (details) details.open = true;
}

function plural(count, word) {
  return `${count.toLocaleString('en-US')} ${word}${count === 1 ? '' : 's'}`;
}

function atlas(form) {
  const rows = [...document.querySelectorAll('.atlas tbody tr')].map(row => ({row, text: row.textContent.toLowerCase()}));
  const filter = () => {
    const words = form.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const {row, text} of rows) {
      const fits = words.every(word => text.includes(word)) && (!form.show.value || row.querySelector('.dissents'));
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    document.getElementById('count').textContent = `${shown} of ${plural(rows.length, 'operation')}`;
  };
  form.addEventListener('input', filter);
  form.addEventListener('submit', event => event.preventDefault());
  form.hidden = false;
  filter();
}

// The search over all frameworks; operators/index.js has the names.
function find(form) {
  const list = document.getElementById('found'), most = 60;
  const search = () => {
    const text = form.q.value.trim().toLowerCase();
    const hits = [];
    if (text) {
      for (const [page, title, names] of window.operatorIndex) {
        for (const name of names) {
          const at = name.toLowerCase().indexOf(text);
          if (at >= 0) hits.push({page, title, name, rank: (name.length === text.length ? 0 : 1 + at) + name.length / 100});
        }
      }
    }
    hits.sort((a, b) => a.rank - b.rank);
    list.replaceChildren(...hits.slice(0, most).map(({page, title, name}) => {
      const item = document.createElement('li'), link = document.createElement('a'), where = document.createElement('span');
      link.href = `${page}.html#${encodeURIComponent('op-' + name)}`;
      link.textContent = name;
      where.textContent = title;
      item.append(link, ' ', where);
      return item;
    }));
    const more = hits.length > most ? `, the first ${most} are shown` : '';
    document.getElementById('count').textContent = text ? plural(hits.length, 'operator') + more : '';
  };
  form.addEventListener('input', search);
  form.addEventListener('submit', event => event.preventDefault());
  form.hidden = false;
  search();
}

const starts = {atlas, find};
for (const [id, start] of Object.entries(starts)) {
  const form = document.getElementById(id);
  if (form && form.tagName === 'FORM') start(form);
}
reveal();
addEventListener('hashchange', reveal);
reachable();
addEventListener('resize', reachable);
