-- A file of `smsched compare --format csv`: how each policy changes the metrics of the whole, in percent, a panel for each metric.
-- @needs comparison
-- @table shown
SELECT rowid AS number, scenario, policy, metric, 100 * (mean - 1) AS value, 100 * ci95 AS ci95 FROM comparison c WHERE subject IN ('host', 'cluster') AND mean IS NOT NULL AND metric NOT GLOB 'gap_*' AND policy <> 'bound';
-- The baseline has 1 everywhere. Metrics that no policy changes by a thousandth are left out.
-- @table baseline
SELECT scenario, policy FROM shown GROUP BY scenario, policy HAVING max(abs(value)) = 0;
-- @table moved
SELECT scenario, metric, min(number) AS number FROM shown GROUP BY scenario, metric HAVING max(abs(value)) BETWEEN 0.1 AND 1e6;
-- @figures comparison-
SELECT 'comparison-' || scenario AS name, scenario, CASE WHEN (SELECT count(DISTINCT scenario) FROM shown) > 1 THEN scenario || ': c' ELSE 'C' END || 'hange over ' || ifnull((SELECT policy FROM baseline b WHERE b.scenario = s.scenario), 'the baseline') || ' (%)' AS title
FROM shown s GROUP BY scenario ORDER BY min(number);
-- @each bar
SELECT CASE WHEN w.words GLOB '[a-z][a-z ]*' THEN upper(substr(w.words, 1, 1)) || substr(w.words, 2) ELSE w.words END AS scenario, s.policy, '' AS name, 0 AS is_all, value, ci95 FROM moved m JOIN shown s USING (scenario, metric) JOIN metric_words w USING (metric) WHERE scenario = (SELECT scenario FROM figure)
AND s.policy NOT IN (SELECT policy FROM baseline b WHERE b.scenario = s.scenario) ORDER BY m.number, s.number;
-- @each bar_about
SELECT DISTINCT scenario, '' AS what, 'change' AS kind, '' AS unit, scenario AS title, NULL AS bound FROM bar;
-- @include bars
