'use strict';
(() => {
const box = document.getElementById('find');
const said = document.getElementById('found');
const groups = Array.from(document.querySelectorAll('#nodes details'), part => ({
  part, open: part.open,
  rows: Array.from(part.querySelectorAll('tr[id]'), row => ({row, text: row.textContent.toLowerCase() +
    ' ' + part.querySelector('summary').textContent.toLowerCase()})),
}));
const all = groups.reduce((sum, group) => sum + group.rows.length, 0);
const find = () => {
  const words = box.value.toLowerCase().split(/\s+/).filter(word => word);
  let count = 0;
  for (const group of groups) {
    let here = 0;
    for (const {row, text} of group.rows) {
      row.hidden = !words.every(word => text.includes(word));
      here += row.hidden ? 0 : 1;
    }
    group.part.hidden = words.length > 0 && here === 0;
    group.part.open = words.length > 0 ? here > 0 : group.open;
    count += here;
  }
  said.textContent = words.length ? `${count} of ${all} nodes` : '';
};
const reveal = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.hidden) { box.value = ''; find(); }
  for (let each = target; each; each = each.parentElement) if (each.tagName === 'DETAILS') each.open = true;
  target.scrollIntoView();
};
document.getElementById('search').hidden = false;
box.addEventListener('input', find);
window.addEventListener('hashchange', reveal);
document.addEventListener('keydown', event => {
  if (event.key !== '/' || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return;
  event.preventDefault();
  box.focus();
});
if (box.value) find();
reveal();
})();
