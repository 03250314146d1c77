-- Grok 4 Fast again. xAI names grok-4.20-non-reasoning as its replacement (docs.x.ai, "Grok Model Deprecation on May 15, 2026"), and the gateway's
-- package lists it. Prices and context window: docs.x.ai, "Grok 4.20", below 200,000 tokens of a prompt.
update model
  set model = 'spacexai/grok-4.20-non-reasoning', unavailable = null, credits = 2,
    inputMicroDollarsPerMillionTokens = 1250000, outputMicroDollarsPerMillionTokens = 2500000, contextTokens = 1000000,
    description = 'A speedy Grok for short exchanges and tool calls. Grok 4.20 answers under its name.', updatedAt = 1795824000000
  where id = 'grok-4-fast';
