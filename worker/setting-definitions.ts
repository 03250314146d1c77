/**
 * Every setting, as data: its name, one line about it, its feature, and whether production requires it. `.dev.vars.example` is generated from
 * this list, and `settings.ts` and `npm run deploy` use it. It imports nothing, because scripts read it too.
 */

/** A test compares it with package.json. */
export const version = '0.1.0'

/** The features that DISABLED_FEATURES can name. `core` is always on, and a separate provider is off when its settings are unset. */
export const features = ['gateway', 'search', 'billing', 'mail', 'google', 'github', 'redis', 'cron', 'files'] as const
export type Feature = (typeof features)[number]

export type SettingDefinition = {
  readonly feature: Feature | 'core' | 'openrouter' | 'ollama' | 'compatible' | 'turnstile'
  readonly line: string
  /** Required in production unless its feature is disabled. */
  readonly isRequired?: true
  readonly form: 'text' | 'url' | 'list' | 'secret' | 'count' | 'access' | 'header'
  /** Read by the build and baked into the page. */
  readonly isClient?: true
  /** Read by the server of the container. */
  readonly isContainer?: true
}

export const settingDefinitions = {
  ENVIRONMENT: {
    feature: 'core',
    form: 'text',
    line: 'Which rules apply: development (stand-ins allowed) or production (the default of a deployment).',
  },
  DISABLED_FEATURES: {
    feature: 'core',
    form: 'list',
    line: 'Features a deployment does without, by name, separated by commas: gateway,search,billing,mail,google,github,redis,cron,files',
  },
  PUBLIC_URL: {
    feature: 'core',
    form: 'url',
    isRequired: true,
    line: 'The address that users type, without a slash at its end. In development: the address of the request.',
  },
  BETTER_AUTH_SECRET: {
    feature: 'core',
    form: 'secret',
    isRequired: true,
    line: 'Signs sessions; at least 32 characters. A local run makes its own and keeps it in STATE_DIR.',
  },
  CRON_SECRET: {
    feature: 'cron',
    form: 'secret',
    isRequired: true,
    line: 'Protects GET /api/reset, which runs the scheduled work on demand, and GET /api/setup; at least 32 characters.',
  },
  MUTATION_BURST: { feature: 'core', form: 'count', line: 'How many writes a user may make at once. Default: 100.' },
  MUTATIONS_PER_SECOND: {
    feature: 'core',
    form: 'count',
    line: 'How many writes a second a user may make in the long run. Default: 20.',
  },
  MUTATIONS_PER_DAY: {
    feature: 'core',
    form: 'count',
    line: 'How many writes a user may make in a UTC day. Default: 2000 for guests, 4000 for free accounts, 20000 for PRO.',
  },
  MODEL_SILENCE_SECONDS: {
    feature: 'core',
    form: 'count',
    line: 'How long a model may send nothing, not even a keep-alive, before its answer ends, in seconds. Five times as long for a model that reasons. Default: 60.',
  },
  AI_GATEWAY_API_KEY: { feature: 'gateway', form: 'secret', isRequired: true, line: 'Models: one gateway key reaches every provider.' },
  AI_GATEWAY_URL: { feature: 'gateway', form: 'url', line: 'Another gateway with the same protocol.' },
  OPENROUTER_API_KEY: { feature: 'openrouter', form: 'secret', line: 'Models by way of OpenRouter.' },
  OPENROUTER_URL: { feature: 'openrouter', form: 'url', line: 'Another address for OpenRouter.' },
  OLLAMA_URL: { feature: 'ollama', form: 'url', line: 'Models of an Ollama, for example http://127.0.0.1:11434/v1' },
  OPENAI_COMPATIBLE_URL: { feature: 'compatible', form: 'url', line: 'Models of any server of the OpenAI protocol.' },
  OPENAI_COMPATIBLE_API_KEY: { feature: 'compatible', form: 'secret', line: 'The key for OPENAI_COMPATIBLE_URL, if it wants one.' },
  OPENAI_COMPATIBLE_MODELS: {
    feature: 'compatible',
    form: 'list',
    line: 'Its models by name, separated by commas, for a server that does not list them itself.',
  },
  FOUND_MODELS_ACCESS: {
    feature: 'core',
    form: 'access',
    line: 'Who may use models that were found at OpenRouter, an Ollama or OPENAI_COMPATIBLE_URL: guests (the default), accounts or pro.',
  },
  SEARCH_API_KEY: {
    feature: 'search',
    form: 'secret',
    isRequired: true,
    line: 'Exa: web search and page contents for Search and Research.',
  },
  SEARCH_URL: { feature: 'search', form: 'url', line: 'Another address for Exa, for tests.' },
  STRIPE_SECRET_KEY: { feature: 'billing', form: 'secret', isRequired: true, line: "Payments: Stripe's secret key." },
  STRIPE_WEBHOOK_SECRET: { feature: 'billing', form: 'secret', isRequired: true, line: "The signing secret of Stripe's webhook." },
  PRO_MONTHLY_PRICE_ID: { feature: 'billing', form: 'text', isRequired: true, line: 'The price of PRO per month, by its id at Stripe.' },
  STRIPE_API_URL: { feature: 'billing', form: 'url', line: 'Another address for Stripe, for tests.' },
  GOOGLE_CLIENT_ID: { feature: 'google', form: 'text', isRequired: true, line: 'Sign-in with Google.' },
  GOOGLE_CLIENT_SECRET: { feature: 'google', form: 'secret', isRequired: true, line: 'The secret for GOOGLE_CLIENT_ID.' },
  GITHUB_CLIENT_ID: { feature: 'github', form: 'text', isRequired: true, line: 'Sign-in with GitHub.' },
  GITHUB_CLIENT_SECRET: { feature: 'github', form: 'secret', isRequired: true, line: 'The secret for GITHUB_CLIENT_ID.' },
  RESEND_API_KEY: { feature: 'mail', form: 'secret', isRequired: true, line: 'Mail through Resend.' },
  MAIL_FROM: { feature: 'mail', form: 'text', line: 'The sender that users see. Default: no-reply at the host of PUBLIC_URL.' },
  MAIL_API_URL: { feature: 'mail', form: 'url', line: 'Another address for Resend, for tests.' },
  REDIS_URL: {
    feature: 'redis',
    form: 'url',
    isRequired: true,
    line: "Redis by Upstash's HTTP protocol: rate limits, counted for all machines together.",
  },
  REDIS_TOKEN: { feature: 'redis', form: 'secret', isRequired: true, line: 'The token for REDIS_URL.' },
  TURNSTILE_SITE_KEY: {
    feature: 'turnstile',
    form: 'text',
    line: 'Cloudflare Turnstile: a challenge before login mails, and before guests of a network that creates many. Needs both keys.',
  },
  TURNSTILE_SECRET_KEY: { feature: 'turnstile', form: 'secret', line: 'The secret key for TURNSTILE_SITE_KEY.' },
  TURNSTILE_URL: { feature: 'turnstile', form: 'url', line: 'Another address for Turnstile, for tests.' },
  CLIENT_ADDRESS_HEADER: {
    feature: 'core',
    form: 'header',
    isContainer: true,
    line: 'Read by the container: the header in which the reverse proxy names the address of the client, last in a list. Unset: rate limits count all clients together.',
  },
  VITE_PUBLIC_API_URL: {
    feature: 'core',
    form: 'url',
    isClient: true,
    line: 'Read by the build: where the page finds the API. Default: its own origin.',
  },
  VITE_PUBLIC_SYNC_URL: {
    feature: 'core',
    form: 'url',
    isClient: true,
    line: 'Read by the build: where the page finds the sync service. Default: its own origin.',
  },
} as const satisfies { readonly [name: string]: SettingDefinition }

export type SettingName = keyof typeof settingDefinitions
