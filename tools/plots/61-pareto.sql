-- Classes in a file of `smsched compare --format csv`, as ratios over the baseline.
-- @needs comparison
-- @table class_value
SELECT rowid AS number, scenario, policy, 0 AS step, name AS class, metric, mean AS value, ci95, (SELECT policy FROM baseline b WHERE b.scenario = c.scenario) AS over FROM comparison c WHERE subject = 'class';
-- @include pareto
