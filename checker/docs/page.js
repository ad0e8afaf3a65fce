'use strict';
(() => {
const find = id => document.getElementById(id);
const table = find('table');
const groups = Array.from(table.tBodies);
const size = groups[0].rows.length;
const order = ['unclassified', 'target', 'fp32', 'widest', 'conditional', 'either', 'exempt', 'absent'];
const split = text => text ? text.split(' ') : [];
const rows = Array.from(table.querySelectorAll('tbody tr'), (row, at) => ({
  row, at, shown: true,
  exempt: 'x' in row.dataset,
  policies: split(row.dataset.p),
  devices: split(row.dataset.d),
  dtypes: split(row.dataset.t),
  name: row.querySelector('.name code').textContent,
  text: row.textContent.toLowerCase(),
}));
const all = rows.length;
let sequence = rows;
const fields = ['q', 'policy', 'list', 'device', 'dtype', 'exempt', 'sort'];
const control = {};
for (const name of fields) if (find(name)) control[name] = find(name);
const value = name => !control[name] ? '' : control[name].type === 'checkbox' ?
  (control[name].checked ? '1' : '') : control[name].value;
const assign = (name, text) => {
  if (!control[name]) return;
  if (control[name].type === 'checkbox') control[name].checked = text === '1';
  else control[name].value = text;
  if (control[name].selectedIndex === -1) control[name].selectedIndex = 0;
};

function filter() {
  const words = value('q').toLowerCase().split(/\s+/).filter(Boolean);
  const policy = value('policy'), list = value('list');
  const device = value('device'), dtype = value('dtype');
  const exempt = value('exempt') || policy === 'exempt';
  let count = 0, more = 0;
  for (const each of rows) {
    let show = words.every(word => each.text.includes(word));
    if (show && policy) {
      show = list ? each.policies[list] === policy : each.policies.includes(policy);
    } else if (show && list) {
      show = each.policies[list] !== 'absent';
    }
    if (show && device) show = each.devices.includes(device);
    if (show && dtype) show = each.dtypes.includes(dtype);
    if (show && each.exempt && !exempt) { show = false; ++more; }
    if (show) ++count;
    if (show !== each.shown) { each.row.hidden = !show; each.shown = show; }
  }
  arrange();
  find('count').textContent = count + ' of ' + all + ' operators' +
    (more ? ', ' + more + ' more exempt' : '');
  find('none').hidden = count > 0;
  if (count === 0) suggest(words.join(' '));
  showChips();
}

function button(text, action) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = text;
  made.addEventListener('click', action);
  return made;
}

// Shows a button for each active filter, which removes it.
function showChips() {
  const chips = [];
  for (const name of ['policy', 'list', 'device', 'dtype']) {
    if (!value(name)) continue;
    const chip = button(control[name].selectedOptions[0].textContent + ' \u00d7', () => set(name, ''));
    chip.setAttribute('aria-label', 'Remove the filter ' + control[name].selectedOptions[0].textContent);
    chips.push(chip);
  }
  find('chips').replaceChildren(...chips);
}
function set(name, text) {
  assign(name, text);
  filter();
  remember();
  control.q.focus({preventScroll: true});
}

// Returns the edit distance, which is exact up to `most`.
function distance(a, b, most) {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let above = Array.from({length: b.length + 1}, (_, i) => i);
  for (let i = 1; i <= a.length; ++i) {
    const row = [i];
    for (let j = 1; j <= b.length; ++j) {
      row[j] = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    above = row;
  }
  return above[b.length];
}
function suggest(text) {
  const most = Math.max(1, Math.floor(text.length / 3));
  const near = rows.map(each => ({each, far: distance(text, each.name.toLowerCase(), most)}))
    .filter(({far}) => text && far <= most).sort((a, b) => a.far - b.far || a.each.at - b.each.at);
  const shown = near.slice(0, 3).map(({each}) => button(each.name, () => {
    reset();
    assign('exempt', each.exempt ? '1' : '');
    set('q', each.name);
  }));
  find('near').replaceChildren(...(shown.length ? [' Did you mean ', ...shown.flatMap((each, i) =>
    i ? [' or ', each] : [each]), '?'] : []));
}

// Estimates the height of groups that are not visible. A group without rows has none.
function arrange() {
  const counts = groups.map(() => 0);
  sequence.forEach((each, at) => { if (each.shown) ++counts[Math.floor(at / size)]; });
  groups.forEach((group, i) => {
    group.hidden = counts[i] === 0;
    group.style.setProperty('--rows', counts[i]);
  });
}

function remember() {
  const state = new URLSearchParams();
  for (const name of fields) if (value(name)) state.set(name, value(name));
  const text = state.toString();
  history.replaceState(null, '', text ? '#?' + text : '#operators');
}

// Makes column headings buttons. A second press reverses the order.
const heads = Array.from(document.querySelectorAll('#heads th'));
const keys = heads.map(head => head.dataset.key);
function keyOf(each, key) {
  if (key === 'name') return each.at;
  if (key.startsWith('p')) return order.indexOf(each.policies[Number(key.slice(1))]);
  const cell = each.row.querySelector('.' + key);
  return cell ? cell.textContent : '';
}
function sort(text) {
  const key = text.replace('-', '') || 'name', down = text.startsWith('-');
  if (!keys.includes(key)) return;
  const sorted = rows.map(each => ({each, key: keyOf(each, key)}));
  const numbers = new Intl.Collator('en', {numeric: true});
  sorted.sort((a, b) => {
    const less = typeof a.key === 'number' ? a.key - b.key : numbers.compare(a.key, b.key);
    return (down ? -less : less) || a.each.at - b.each.at;
  });
  sequence = sorted.map(({each}) => each);
  groups.forEach((group, i) =>
    group.replaceChildren(...sequence.slice(i * size, (i + 1) * size).map(({row}) => row)));
  arrange();
  heads.forEach((head, i) => {
    if (keys[i] !== key) head.removeAttribute('aria-sort');
    else head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  });
}
heads.forEach((head, i) => {
  if (!keys[i]) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener('click', () => {
    const turned = head.getAttribute('aria-sort') === 'ascending';
    control.sort.value = turned ? '-' + keys[i] : keys[i] === 'name' ? '' : keys[i];
    sort(value('sort'));
    remember();
  });
});

function reset() { for (const name of fields) assign(name, ''); }

function reveal() {
  const id = location.hash.slice(1);
  if (!id.startsWith('op-')) return false;
  const target = find(id), row = target && target.closest('tr');
  if (!row) return false;
  if (row.hidden) {
    reset();
    assign('exempt', 'x' in row.dataset ? '1' : '');
    filter();
  }
  for (const marked of table.querySelectorAll('.marked')) marked.classList.remove('marked');
  row.classList.add('marked');
  row.querySelector('details').open = true;
  row.scrollIntoView({block: 'center'});
  return true;
}

function recall() {
  if (reveal() || !location.hash.startsWith('#?')) return;
  const state = new URLSearchParams(location.hash.slice(2));
  for (const name of fields) assign(name, state.get(name) || '');
  filter();
  sort(value('sort'));
}

for (const name of fields) {
  if (!control[name]) continue;
  control[name].addEventListener(name === 'q' ? 'input' : 'change', () => {
    if (name === 'sort') sort(value('sort'));
    filter();
    remember();
  });
}
for (const link of document.querySelectorAll('a[data-policy]')) {
  link.addEventListener('click', event => {
    event.preventDefault();
    reset();
    assign('policy', link.dataset.policy);
    assign('list', link.dataset.list);
    filter();
    remember();
    find('operators').scrollIntoView();
    control.q.focus({preventScroll: true});
  });
}
// Clicking a policy in a row filters by it.
table.addEventListener('click', event => {
  const cell = event.target.closest('.tag') && event.target.closest('td.policy');
  if (!cell) return;
  const list = Array.from(cell.parentNode.querySelectorAll('.policy')).indexOf(cell);
  assign('policy', cell.querySelector('.tag').classList[1]);
  set('list', String(list));
});
find('reset').addEventListener('click', () => {
  reset();
  sort('');
  filter();
  remember();
  control.q.focus();
});
find('controls').addEventListener('submit', event => event.preventDefault());
document.addEventListener('keydown', event => {
  const writing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === '/' && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    control.q.focus();
    control.q.select();
  }
});
window.addEventListener('hashchange', recall);
find('controls').hidden = false;
new ResizeObserver(() => {
  const sticky = getComputedStyle(find('controls')).position === 'sticky';
  document.documentElement.style.setProperty('--controls',
    (sticky ? find('controls').offsetHeight : 0) + 'px');
}).observe(find('controls'));
document.documentElement.classList.add('script');
filter();
recall();
})();
