-- What makes a model with levels tell its thoughts, in the options of its row, where those without levels have it already. A call carries
-- them at every level but none. Whoever is not named here tells them unasked. Rows without levels keep what they have; nothing is lost.

-- The thoughts themselves are never told; a summary is, when asked for (@ai-sdk/openai 4.0.118, options of the Responses API).
update model set options = '{"openai":{"reasoningSummary":"auto"}}', updatedAt = 1795305600000
  where provider = 'gateway' and model like 'openai/%' and effort is not null;

-- From Opus 4.7 on the blocks come without text unless summaries are asked for (@ai-sdk/anthropic 4.0.105, docs, "Thinking Display");
-- adaptive is the only way of thinking that all models with levels have, Sonnet 4.6 and later (its model catalog).
update model set options = '{"anthropic":{"thinking":{"type":"adaptive","display":"summarized"}}}', updatedAt = 1795305600000
  where provider = 'gateway' and model like 'anthropic/%' and effort is not null;

-- Kept to itself unless asked (@ai-sdk/google 4.0.121, which merges this with the level it derives from the effort).
update model set options = '{"google":{"thinkingConfig":{"includeThoughts":true}}}', updatedAt = 1795305600000
  where provider = 'gateway' and model like 'google/%' and effort is not null;
