'use strict';
/* Tables. A click on a heading sorts them. */

const TABLE_ROWS = 500;

function compareCells(a, b) {
  const nothing = value => value === null || value === undefined;
  if (nothing(a) || nothing(b)) return nothing(a) - nothing(b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const x = String(a), y = String(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/* Sorts rows by a column. Rows without a value stay at the end in either direction. */
function sortRows(rows, column, ascending) {
  const value = row => row[column];
  const empty = rows.filter(row => value(row) === null || value(row) === undefined);
  const full = rows.filter(row => value(row) !== null && value(row) !== undefined);
  full.sort((a, b) => (ascending ? 1 : -1) * compareCells(value(a), value(b)));
  return full.concat(empty);
}

/* A table. columns: {name, title, text, cell(row) -> node or text}; row: array of values by column. */
function table(caption, columns, rows) {
  const body = el('tbody'), heads = [];
  let sorted = -1, ascending = true;
  const fill = list => body.replaceChildren(...list.slice(0, TABLE_ROWS).map(row => el('tr', {}, columns.map((column, i) =>
    el('td', { class: column.text ? 'text' : null }, column.cell ? column.cell(row, i) : row[i] === null ? '–' : String(row[i]))))));
  const sort = i => {
    ascending = sorted === i ? !ascending : Boolean(columns[i].text);
    sorted = i;
    heads.forEach((head, k) => head.setAttribute('aria-sort', k === i ? (ascending ? 'ascending' : 'descending') : 'none'));
    fill(sortRows(rows, i, ascending));
  };
  columns.forEach((column, i) => heads.push(el('th', { scope: 'col', 'aria-sort': 'none', class: column.text ? 'text' : null },
    el('button', { type: 'button', title: column.title || null, onclick: () => sort(i) }, column.name))));
  fill(rows);
  const more = rows.length > TABLE_ROWS ? ` The first ${TABLE_ROWS} of ${group(String(rows.length))} rows, as sorted.` : '';
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    el('table', {}, el('caption', {}, caption + more), el('thead', {}, el('tr', {}, heads)), body));
}

/* A value with the half-width of its interval. */
const withInterval = (metric, mean, ci) => isNumber(ci) && isNumber(mean)
  ? el('span', {}, show(metric, mean), el('small', {}, ' ± ' + show(metric, ci))) : show(metric, mean);

/* A change with its half-width. Only significant changes are coloured. */
function changeCell(subject, metric, change, ci, holds) {
  const better = betterOf(subject, metric);
  const tone = !isNumber(change) || !holds || better * change === 0 ? null : better * change > 0 ? 'good' : 'bad';
  return el('span', { class: tone }, percent(change, true), isNumber(ci) ? el('small', {}, ' ± ' + percent(ci)) : null);
}
