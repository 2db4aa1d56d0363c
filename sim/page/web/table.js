'use strict';
/* Tables. A click on a heading sorts them. */

const TABLE_ROWS = 500;

/* A table, whose first column stays in view. columns: {name, title, text, cell(row) -> node or text}; row: array of values by column. */
function table(caption, columns, rows) {
  const body = el('tbody'), heads = [];
  let sorted = -1, ascending = true;
  const fill = list => body.replaceChildren(...list.slice(0, TABLE_ROWS).map(row => el('tr', {}, columns.map((column, i) =>
    el(i ? 'td' : 'th', { class: column.text ? 'text' : null, scope: i ? null : 'row' }, column.cell ? column.cell(row, i) : row[i] === null ? '–' : String(row[i]))))));
  const sort = i => {
    ascending = sorted === i ? !ascending : Boolean(columns[i].text);
    sorted = i;
    heads.forEach((head, k) => head.setAttribute('aria-sort', k === i ? (ascending ? 'ascending' : 'descending') : 'none'));
    fill(sortRows(rows, i, ascending));
    remember('sort', `${columns[i].name},${ascending ? 'up' : 'down'}`);
  };
  columns.forEach((column, i) => heads.push(el('th', { scope: 'col', 'aria-sort': 'none', class: column.text ? 'text' : null },
    el('button', { type: 'button', title: column.title || null, onclick: () => sort(i) }, column.name))));
  fill(rows);
  const kept = recall('sort', '').split(/,(?=[^,]*$)/), by = columns.findIndex(column => column.name === kept[0]);
  if (by >= 0) {
    sorted = by;
    ascending = kept[1] !== 'up';
    sort(by);
  }
  const more = rows.length > TABLE_ROWS ? ` The first ${TABLE_ROWS} of ${group(String(rows.length))} rows, as sorted.` : '';
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    el('table', {}, el('caption', {}, el('span', {}, caption + more)), el('thead', {}, el('tr', {}, heads)), body));
}

/* A value with the half-width of its interval. */
const withInterval = (metric, mean, ci) => { const [value, interval] = showWith(metric, mean, ci); return el('span', {}, value, interval && el('small', {}, interval)); };

/* A change with its half-width. Only significant changes are coloured. */
function changeCell(subject, metric, change, ci, holds) {
  const better = betterOf(subject, metric);
  const tone = !isNumber(change) || !holds || better * change === 0 ? null : better * change > 0 ? 'good' : 'bad';
  return el('span', { class: tone }, percent(change, true), isNumber(ci) ? el('small', {}, ' ± ' + percent(ci)) : null);
}
