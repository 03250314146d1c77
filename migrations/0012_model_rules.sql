-- What the rows of the catalogue did not say yet: whether a model can be used at all, its temperature, and how it thinks when nobody chooses.

-- A refusal's code of worker/contract/errors.ts, or null. The server keeps it for what it is connected to; model_retired stays.
alter table model add column unavailable text;
-- Null: the model is told none.
alter table model add column temperature real;
-- The AI SDK's options by vendor, as JSON, sent with every call.
alter table model add column options text;

-- Models whose effort is chosen reject a temperature, and so do Claude while it thinks and Kimi's model for code.
update model set temperature = 0.8 where effort is null and id not in ('claude-4.5-sonnet', 'claude-4.5-haiku', 'kimi-k2.7-code');

-- These think only when they are told to, and for as long as they are told.
update model set options = '{"anthropic":{"thinking":{"type":"enabled","budgetTokens":3000}}}'
  where id in ('claude-4.5-sonnet', 'claude-4.5-haiku');
-- These think by themselves and tell of it only when asked.
update model set options = '{"google":{"thinkingConfig":{"includeThoughts":true}}}' where id in ('gemini-2.5-pro', 'gemini-2.5-flash');

-- The gateway's package 4.0.146 lists these no more. Their rows stay, so that what they wrote keeps its name; nobody can choose them.
update model set unavailable = 'model_retired', updatedAt = 1795132800000
  where id in ('gemini-3-pro', 'grok-4.1-fast', 'grok-4-fast', 'deepseek-v3', 'magistral-medium', 'qwen3-max', 'kimi-k2-thinking');

-- Whoever had chosen one gets its successor, as far as their plan was enough for the old one: none asks for more than its predecessor.
-- So does what is pinned, in its place and once, and what waits to be sent.
with successor(retired, id) as (values
  ('gemini-3-pro', 'gemini-3.1-pro'), ('grok-4.1-fast', 'gemini-2.5-flash'), ('grok-4-fast', 'deepseek-v4-flash'),
  ('deepseek-v3', 'deepseek-v3.1'), ('magistral-medium', 'mistral-medium-3.5'), ('qwen3-max', 'qwen3.7-max'), ('kimi-k2-thinking', 'kimi-k2.6')
)
update setting set
  modelId = coalesce((select id from successor where retired = modelId), modelId),
  pinnedModels = iif(json_valid(pinnedModels), (
    select json_group_array(id) from (
      select coalesce((select successor.id from successor where retired = pin.value), pin.value) id, min(pin.key) place
        from json_each(pinnedModels) pin group by 1 order by place)
  ), pinnedModels)
  where modelId in (select retired from successor)
    or exists (select 1 from json_each(iif(json_valid(pinnedModels), pinnedModels, '[]')) where value in (select retired from successor));

with successor(retired, id) as (values
  ('gemini-3-pro', 'gemini-3.1-pro'), ('grok-4.1-fast', 'gemini-2.5-flash'), ('grok-4-fast', 'deepseek-v4-flash'),
  ('deepseek-v3', 'deepseek-v3.1'), ('magistral-medium', 'mistral-medium-3.5'), ('qwen3-max', 'qwen3.7-max'), ('kimi-k2-thinking', 'kimi-k2.6')
)
update queuedMessage set modelId = (select id from successor where retired = modelId) where modelId in (select retired from successor);

-- Workers AI, for deployments that bind it. One row is one model, as above.
insert into model
  (id, name, model, provider, description, capabilities, effort, icon, credits, access,
   inputMicroDollarsPerMillionTokens, outputMicroDollarsPerMillionTokens, position, createdAt, updatedAt, temperature)
values
  ('workers-llama-4-scout', 'Llama 4 Scout on Workers AI', '@cf/meta/llama-4-scout-17b-16e-instruct', 'workers-ai',
   'Runs beside this app on Cloudflare''s own machines and sees pictures.',
   '["tools","vision"]', null, 'cloudflare', 1, 'public', 270000, 850000, 1301, 1795132800000, 1795132800000, 0.8),
  ('workers-gpt-oss-120b', 'GPT OSS 120B on Workers AI', '@cf/openai/gpt-oss-120b', 'workers-ai',
   'OpenAI''s large open-weight model on Cloudflare''s own machines.',
   '["tools","reasoning"]', null, 'cloudflare', 1, 'public', 350000, 750000, 1302, 1795132800000, 1795132800000, 0.8),
  ('workers-llama-3.3-70b', 'Llama 3.3 70B on Workers AI', '@cf/meta/llama-3.3-70b-instruct-fp8-fast', 'workers-ai',
   'A proven open model for everyday questions, quick on Cloudflare.',
   '["tools"]', null, 'cloudflare', 1, 'public', 290000, 2250000, 1303, 1795132800000, 1795132800000, 0.8);
