-- Heat maps of a sweep over two axes: what the plan asks for under the first policy, and the change over it under each other one.
-- @needs point answer line
-- @table map_axis
SELECT name AS axis, row_number() OVER (ORDER BY cid) AS place FROM pragma_table_info('point') WHERE name NOT IN ('point', 'scenario', 'state', 'message');
-- @table map_asked
SELECT subject, name, metric FROM answer GROUP BY subject, name, metric ORDER BY count(*) DESC LIMIT 1;
-- @figures map-
SELECT 'map-' || scenario AS name, scenario, (SELECT count(DISTINCT scenario) FROM point) > 1 AS several, (SELECT metric FROM map_asked) AS metric, (SELECT axis FROM map_axis WHERE place = 1) AS x, (SELECT axis FROM map_axis WHERE place = 2) AS y
FROM point WHERE state = 'done' AND (SELECT count(*) FROM map_axis) = 2 GROUP BY scenario ORDER BY min(point);
-- @each cell
SELECT p.{x} AS x, p.{y} AS y, min(p.point) AS point, l.line AS policy, a.position, avg(a.value) AS value FROM point p JOIN answer a USING (point) JOIN main.line l ON l.scenario = p.scenario AND l.position = a.position AND l.policy = a.policy WHERE p.scenario = (SELECT scenario FROM figure) AND a.metric = (SELECT metric FROM figure)
GROUP BY p.{x}, p.{y}, l.line, a.position;
-- Values of one unit go by size, others by the order of the plan.
-- @each across_x
SELECT x, row_number() OVER (ORDER BY CASE WHEN (SELECT count(DISTINCT ltrim(x, '0123456789.+-')) FROM cell) = 1 THEN CAST(x AS REAL) END, min(point)) AS place FROM cell GROUP BY x;
-- @each line
SELECT y, row_number() OVER (ORDER BY CASE WHEN (SELECT count(DISTINCT ltrim(y, '0123456789.+-')) FROM cell) = 1 THEN CAST(y AS REAL) END, min(point)) AS place FROM cell GROUP BY y;
-- @each panel
SELECT policy, row_number() OVER (ORDER BY min(position), policy) AS panel FROM cell GROUP BY policy;
-- @each shown
SELECT panel, c.place AS x, l.place AS y, CASE panel WHEN 1 THEN cell.value ELSE 100 * (cell.value / base.value - 1) END AS value, cell.policy, cell.x AS x_value, cell.y AS y_value FROM cell JOIN panel ON panel.policy = cell.policy
JOIN across_x c ON c.x IS cell.x JOIN line l ON l.y IS cell.y LEFT JOIN cell base ON base.x IS cell.x AND base.y IS cell.y AND base.policy = (SELECT policy FROM panel WHERE panel = 1);
-- @each size
SELECT u.name AS unit, u.size FROM unit u, (SELECT max(value) AS top FROM shown WHERE panel = 1) WHERE u.kind = (SELECT kind FROM metric_words WHERE metric = (SELECT metric FROM figure)) AND (u.size <= top OR u.size = 1) ORDER BY u.size DESC LIMIT 1;
-- @draw cells
-- @set
SELECT CASE WHEN several THEN scenario ELSE '' END AS title, 0.5 AS left, (SELECT count(*) + 0.5 FROM across_x) AS right, 0.5 AS low, (SELECT count(*) + 0.5 FROM line) AS high, 0.8 AS ratio, 0 AS as_image, 0 AS stacked, ifnull((SELECT words FROM field WHERE path = x), x) AS xlabel, wrap(ifnull((SELECT words FROM field WHERE path = y), y), 20) AS ylabel,
    (SELECT words FROM metric_words w WHERE w.metric = figure.metric) || (SELECT CASE WHEN subject IN ('host', 'cluster') THEN '' ELSE ' of ' || name END FROM map_asked) || CASE WHEN unit <> '' THEN ' (' || unit || ')' ELSE '' END || ' under ' || (SELECT policy FROM panel WHERE panel = 1) AS value_label,
    v.low / size AS value_low, max(v.high, v.low + abs(v.low) * 1e-3 + 1e-9) / size AS value_high, 'Change over it (%)' AS gain_label,
    max(1, ceil(ifnull((SELECT max(abs(value)) FROM shown WHERE panel > 1), 1))) AS gain FROM figure, size, (SELECT min(value) AS low, max(value) AS high FROM shown WHERE panel = 1) v;
-- @array panel
SELECT wrap(policy, 24) AS title, panel > 1 AS is_gain FROM panel ORDER BY panel;
-- Values of a scale of many steps have many digits.
-- @array xname
SELECT CASE WHEN length(x) - length(ltrim(x, '0123456789.')) > 5 AND x LIKE '%.%' AND CAST(x AS REAL) BETWEEN 0.001 AND 9999
    THEN printf('%.4g', CAST(x AS REAL)) || ltrim(x, '0123456789.') ELSE CAST(x AS TEXT) END AS label, place AS at FROM across_x ORDER BY place;
-- @array yname
SELECT CASE WHEN length(y) - length(ltrim(y, '0123456789.')) > 5 AND y LIKE '%.%' AND CAST(y AS REAL) BETWEEN 0.001 AND 9999
    THEN printf('%.4g', CAST(y AS REAL)) || ltrim(y, '0123456789.') ELSE CAST(y AS TEXT) END AS label, place AS at FROM line ORDER BY place;
-- @data
SELECT panel, x, y, 1 AS width, 1 AS height, CASE panel WHEN 1 THEN value / size ELSE value END AS value, policy, x_value, y_value FROM shown, size ORDER BY panel, y, x;
