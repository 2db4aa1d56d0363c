-- The metric that each scenario asks for, under all policies, with its bound.
-- @needs asked
-- @figures answer
SELECT 'answer' AS name, (SELECT group_concat(printf('SELECT h.rowid AS number, h.scenario, h.policy, h."%w" AS name, h."%w" AS value, h."ci95_%w" AS ci95 FROM "%w" h JOIN asked a ON a.scenario = h.scenario AND a.subject = %Q AND a.metric = %Q AND a.name = h."%w"',
    subject, metric, metric, file, subject, metric, subject), ' UNION ALL ') FROM (SELECT DISTINCT subject, metric, CASE subject WHEN 'process' THEN 'processes' WHEN 'cluster' THEN 'cluster' ELSE subject || 's' END AS file
        FROM asked WHERE metric GLOB '[a-z]*') WHERE file IN (SELECT name FROM sqlite_master)) AS query,
    CASE WHEN (SELECT count(DISTINCT ifnull(question, '')) FROM asked WHERE metric IS NOT NULL) = 1 THEN wrap((SELECT question FROM asked WHERE metric IS NOT NULL), 54) ELSE '' END AS title
WHERE query IS NOT NULL AND NOT (SELECT yes FROM is_pairs);
-- @each bar
SELECT scenario, policy, name, 0 AS is_all, value, ci95 FROM ({=query}) ORDER BY number;
-- @each bar_about
SELECT scenario, words || CASE WHEN subject IN ('host', 'cluster') THEN '' ELSE ' of ' || name END AS what,
    kind, '' AS unit, bound,
    scenario || CASE WHEN (SELECT title FROM figure) = '' AND question <> '' THEN ': ' || question ELSE '' END AS title FROM asked JOIN metric_words USING (metric);
-- @include bars
