-- How full a cluster gets as pods come: GPUs allocated, and of those that are left the part that is of no use to the pods.
-- @needs allocation
-- @check allocation.csv: a number is missing or out of range
SELECT rowid + 1 FROM allocation WHERE NOT ifnull(arrived_ratio >= 0 AND allocated_ratio >= 0 AND fragment_ratio >= 0, 0) LIMIT 1;
-- @figures allocation-
SELECT 'allocation-' || scenario AS name, scenario, CASE WHEN (SELECT count(DISTINCT scenario) FROM allocation) > 1 THEN scenario ELSE '' END AS title FROM allocation GROUP BY scenario ORDER BY min(rowid);
-- The first panel leaves out loads at which all lines are within half a percent of what was asked for, and what is below them unless pods leave.
-- @each point
SELECT rowid AS number, policy, 100 * arrived_ratio AS x, 100 * allocated_ratio AS allocated, 100 * fragment_ratio AS fragments FROM allocation WHERE scenario = (SELECT scenario FROM figure);
-- @each span
SELECT *, CASE WHEN start < top AND (SELECT min(allocated) FROM point WHERE x >= start) > start - 1 THEN start ELSE 0 END AS base FROM (SELECT floor(ifnull(min(CASE WHEN x - allocated > 0.5 THEN x END), 0) / 10) * 10 AS start, max(x) AS most, max(allocated) AS top FROM point);
-- @each line
SELECT policy, row_number() OVER (ORDER BY min(number)) AS line, max(number) AS last FROM point GROUP BY policy;
-- The last point of each of 500 intervals is enough for print.
-- @each curve
SELECT panel, line, x, y, max(number) AS number, policy FROM (SELECT 1 AS panel, line, x, allocated AS y, number, policy FROM point JOIN line USING (policy), span WHERE x >= start UNION ALL SELECT 2, line, x, fragments, number, policy FROM point JOIN line USING (policy)), span GROUP BY panel, line, CAST(500 * x / most AS INT);
-- @draw lines
-- @set
SELECT 0 AS xnames, 0 AS log_x, 1 AS each_x, 0 AS marked, title FROM figure;
-- @array line
SELECT line_rgb AS rgb, 1 + (line - 1) / 16 % 3 AS dash FROM line JOIN tenant_colour c ON c.place = (line - 1) % 16 ORDER BY line;
-- @array panel
SELECT 'GPUs allocated' AS title, '% of all' AS ylabel, 'GPUs asked for by pods that came (% of all)' AS xlabel, CASE WHEN most > start THEN start ELSE 0 END AS left, most AS right, base AS low, 100 AS high, 0 AS log FROM span
UNION ALL SELECT 'Fragments, of the GPUs that are left', '% of those left', 'GPUs asked for by pods that came (% of all)', 0, most, 0, 100, 0 FROM span;
-- @array label
SELECT panel, wrap(c.policy, 22) AS text, line_rgb AS rgb, y FROM curve c JOIN line l ON l.policy = c.policy AND l.last = c.number JOIN tenant_colour t ON t.place = (l.line - 1) % 16 ORDER BY panel, y;
-- @data
SELECT panel, line, 0 AS rgb, 1 AS dash, x, y, NULL AS low, NULL AS high, policy FROM curve ORDER BY panel, line, number;
