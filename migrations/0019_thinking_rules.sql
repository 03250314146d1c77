-- What vendors refuse or need to be asked for, as their published packages and documents have it. By id; prices and access stay.

-- Moonshot fixes the temperature of its K2.5 and K2.6 and refuses any other with a 400 (@ai-sdk/moonshotai 3.0.60 leaves it out for every
-- model of the family; its changelog, 1cb0493).
update model set temperature = null, updatedAt = 1795219200000 where id in ('kimi-k2.5', 'kimi-k2.6');

-- These think only when asked: Mistral Medium 3.5 knows the efforts none and high (@ai-sdk/mistral 4.0.87, its model catalog), Qwen 3.7
-- a switch (@ai-sdk/alibaba 2.0.58: enableThinking, for the Max off by default; `none` turns it off, any level on). Whoever chooses nothing
-- has the quick answer, as at the vendor.
update model set effort = '["none","high"]', temperature = null, updatedAt = 1795219200000
  where id in ('mistral-medium-3.5', 'qwen3.7-max', 'qwen3.7-plus');

-- Grok 4.5 cannot be kept from thinking: low, medium and high are all it knows (vercel.com/ai-gateway/models/grok-4.5, "Reasoning can't be
-- switched off"). Threads that have none stored get the model's default.
update model set effort = '["low","medium","high"]', updatedAt = 1795219200000 where id = 'grok-4.5';
