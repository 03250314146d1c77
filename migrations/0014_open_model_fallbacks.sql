-- Models with open weights are served by the same hosts as open models of other makers, so such a model may be a fallback (0011_fallback_models.sql) of
-- another maker. The other rules of fallbacks still hold.
update model set updatedAt = 1795651200000, fallbackIds = case id
  when 'kimi-k2'       then '["gpt-oss-120b"]'
  when 'deepseek-v3.1' then '["gpt-oss-120b","glm-4.5-air"]'
  when 'glm-5.2'       then '["deepseek-v4-pro"]'
end
where id in ('kimi-k2', 'deepseek-v3.1', 'glm-5.2');
