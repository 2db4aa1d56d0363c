-- What each scenario asks for, and the bound of that metric if it is of the whole host.
-- @needs answers
-- @table asked
SELECT json_extract(value, '$.scenario') AS scenario, ifnull(nullif(json_extract(value, '$.question'), ''), (SELECT printf('Which policy %s the %s %s?',
        CASE WHEN json_extract(value, '$.answer.subject') IN ('host', 'cluster') THEN 'has' ELSE 'gives ' || json_extract(value, '$.answer.name') END,
        CASE json_extract(value, '$.answer.better') WHEN 'lower' THEN least ELSE most END, words) FROM metric_words WHERE metric = json_extract(value, '$.answer.metric'))) AS question,
    json_extract(value, '$.answer.subject') AS subject, json_extract(value, '$.answer.name') AS name,
    json_extract(value, '$.answer.metric') AS metric, json_extract(value, '$.answer.better') AS better,
    json_extract(value, '$.kernels_alike') AS alike,
    CASE json_extract(value, '$.answer.subject') WHEN 'host' THEN
        (SELECT json_extract(b.value, '$.run') FROM json_each(j.value, '$.bounds') b
         WHERE b.key = json_extract(j.value, '$.answer.metric')) END AS bound
FROM answers, json_each(CASE json_type(text) WHEN 'array' THEN text ELSE json_array(json(text)) END) j WHERE j.type = 'object';
