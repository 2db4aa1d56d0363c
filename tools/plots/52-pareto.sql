-- Classes of a sweep: a policy moves from point to point.
-- @needs point student line class
-- @table class_sample
SELECT k.point, p.scenario, l.line AS policy, k.position, k.name AS class, m.column1 AS metric, CASE m.column1 WHEN 'jobs_in_time_per_s' THEN jobs_in_time_per_s WHEN 'job_latency_p99_ns' THEN job_latency_p99_ns WHEN 'jobs_per_s' THEN jobs_per_s ELSE stp_ratio END AS value
FROM class k, (VALUES ('jobs_in_time_per_s'), ('job_latency_p99_ns'), ('jobs_per_s'), ('stp_ratio')) m JOIN point p ON p.point = k.point JOIN main.line l ON l.scenario = p.scenario AND l.position = k.position AND l.policy = k.policy;
-- @table class_value
SELECT point * 1000 + position AS number, scenario, policy, point AS step, class, metric, value, CASE WHEN g.n > 1 THEN sqrt(max(0, (squares - g.n * value * value) / (g.n - 1) / g.n)) * t95 END AS ci95, NULL AS over
FROM (SELECT point, scenario, policy, position, class, metric, count(value) AS n, avg(value) AS value, sum(value * value) AS squares FROM class_sample GROUP BY point, scenario, policy, position, class, metric) g LEFT JOIN student USING (n);
-- @include pareto
