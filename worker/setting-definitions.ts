/**
 * Every setting, as data: its name, one line about it, its feature, and whether production requires it. `.dev.vars.example` is generated from
 * this list, and `settings.ts` and `npm run deploy` use it. It imports nothing, because scripts read it too.
 */

/** A test compares it with package.json. */
export const version = '0.1.0'

/** The features that DISABLED_FEATURES can name. `core` is always on; `redis` and a separate provider are off when their settings are unset. */
export const features = ['gateway', 'search', 'billing', 'mail', 'google', 'github', 'redis', 'cron', 'files'] as const
export type Feature = (typeof features)[number]

export type SettingDefinition = {
  readonly feature: Feature | 'core' | 'backups' | 'openrouter' | 'ollama' | 'compatible' | 'turnstile' | 'telemetry' | 'alerts'
  readonly line: string
  /** What Cloudflare's deploy button shows with the setting. The button asks for these settings only. */
  readonly prompt?: string
  /** Required in production unless its feature is disabled. */
  readonly isRequired?: true
  /** A setting that suffices instead: with it, a binding of Cloudflare does the work. */
  readonly replacedBy?: string
  readonly form:
    | 'text'
    | 'url'
    | 'list'
    | 'secret'
    | 'headers'
    | 'email'
    | 'sender'
    | 'count'
    | 'percent'
    | 'share'
    | 'access'
    | 'capabilities'
    | 'link'
    | 'hour'
    | 'header'
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
    line: `Features a deployment does without, by name, separated by commas: ${features.join(',')}`,
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
    prompt: 'Signs sessions. Enter at least 32 random characters, such as the output of `openssl rand -hex 32`.',
  },
  CRON_SECRET: {
    feature: 'cron',
    form: 'secret',
    isRequired: true,
    line: 'Protects GET /api/reset, which runs the scheduled work on demand, and GET /api/setup; at least 32 characters.',
    prompt: 'Opens `/api/setup`, which lists what you can set up next. Enter at least 32 other random characters, and keep them.',
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
  CREDIT_MICRO_DOLLARS: {
    feature: 'core',
    form: 'count',
    line: 'What one credit pays for, in millionths of a US dollar. A turn costs as many credits as its tokens cost, at least those of its model. Default: 3875, which is 93% of a 6000th of 25 USD.',
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
  OPENAI_COMPATIBLE_CAPABILITIES: {
    feature: 'compatible',
    form: 'capabilities',
    line: 'What its models can do, separated by commas, if its list does not say so, as that of vLLM and OpenAI: tools,reasoning,vision,documents',
  },
  FOUND_MODELS_ACCESS: {
    feature: 'core',
    form: 'access',
    line: 'Who may use models of OpenRouter, an Ollama, OPENAI_COMPATIBLE_URL and Workers AI: guests (the default), accounts or pro.',
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
  STRIPE_PORTAL_ID: {
    feature: 'billing',
    form: 'text',
    line: "The configuration of the customer portal, by its id at Stripe. Default: the one that was saved in Stripe's dashboard.",
  },
  STRIPE_API_URL: { feature: 'billing', form: 'url', line: 'Another address for Stripe, for tests.' },
  GOOGLE_CLIENT_ID: { feature: 'google', form: 'text', isRequired: true, line: 'Login with Google.' },
  GOOGLE_CLIENT_SECRET: { feature: 'google', form: 'secret', isRequired: true, line: 'The secret for GOOGLE_CLIENT_ID.' },
  GITHUB_CLIENT_ID: { feature: 'github', form: 'text', isRequired: true, line: 'Login with GitHub.' },
  GITHUB_CLIENT_SECRET: { feature: 'github', form: 'secret', isRequired: true, line: 'The secret for GITHUB_CLIENT_ID.' },
  RESEND_API_KEY: {
    feature: 'mail',
    form: 'secret',
    isRequired: true,
    replacedBy: 'MAIL_FROM',
    line: 'Mail through Resend. Without it, a deployment sends mail through Email Service of Cloudflare, from MAIL_FROM.',
  },
  MAIL_FROM: {
    feature: 'mail',
    form: 'sender',
    line: 'The sender that users see, for example Parley <no-reply@chat.example>. Default with Resend: no-reply at the host of PUBLIC_URL.',
  },
  MAIL_API_URL: { feature: 'mail', form: 'url', line: 'Another address for Resend, for tests.' },
  REDIS_URL: {
    feature: 'redis',
    form: 'url',
    line: "Redis by Upstash's HTTP protocol counts rate limits. Default: the database counts. Needs REDIS_TOKEN.",
  },
  REDIS_TOKEN: { feature: 'redis', form: 'secret', line: 'The token for REDIS_URL.' },
  TURNSTILE_SITE_KEY: {
    feature: 'turnstile',
    form: 'text',
    line: 'Cloudflare Turnstile: a challenge before login mails, and before guests of a network that creates many. Needs both keys.',
  },
  TURNSTILE_SECRET_KEY: { feature: 'turnstile', form: 'secret', line: 'The secret key for TURNSTILE_SITE_KEY.' },
  TURNSTILE_URL: { feature: 'turnstile', form: 'url', line: 'Another address for Turnstile, for tests.' },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    feature: 'telemetry',
    form: 'url',
    line: 'Traces and metrics of requests, turns and sync go to this OpenTelemetry collector, by OTLP over HTTP.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    feature: 'telemetry',
    form: 'headers',
    line: 'Headers for the collector, such as its key: name=value, separated by commas.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    feature: 'telemetry',
    form: 'share',
    line: 'The share of traces that are sent, from 0 to 1. Metrics count everything. Default: 1.',
  },
  OPERATOR_EMAIL: {
    feature: 'alerts',
    form: 'email',
    line: 'Receives a mail when a threshold below is passed, at most one a day for each. Needs mail.',
  },
  ALERT_FAILED_PERCENT: {
    feature: 'alerts',
    form: 'percent',
    line: 'Alert: percent of the answers of one provider that failed in the last hour, if it had at least ten. Default: 25.',
  },
  ALERT_STUCK_TURNS: {
    feature: 'alerts',
    form: 'count',
    line: 'Alert: answers that have been open for more than an hour. Default: 5.',
  },
  ALERT_FEED_ROWS: {
    feature: 'alerts',
    form: 'count',
    line: 'Alert: rows of the change feed of one database, which keeps 30 days. Default: 20000000.',
  },
  ALERT_DATABASE_MB: {
    feature: 'alerts',
    form: 'count',
    line: 'Alert: size of one database in megabytes. D1 holds 10000. Default: 8000.',
  },
  BACKUP_API_TOKEN: {
    feature: 'backups',
    form: 'secret',
    line: 'Daily backups of D1 in R2: an API token of Cloudflare with the permission D1 Edit. Needs BACKUP_ACCOUNT_ID.',
  },
  BACKUP_ACCOUNT_ID: { feature: 'backups', form: 'text', line: 'The id of the Cloudflare account of the databases.' },
  BACKUP_DATABASES: { feature: 'backups', form: 'list', line: 'The names of all D1 databases, separated by commas. Default: parley.' },
  BACKUP_COPIES: { feature: 'backups', form: 'count', line: 'How many daily backups of each database to keep. Default: 30.' },
  BACKUP_HOUR: {
    feature: 'backups',
    form: 'hour',
    line: 'The hour in UTC, from 0 to 23, after which the backup is made. It blocks the database. Default: 3.',
  },
  BACKUP_API_URL: { feature: 'backups', form: 'url', line: "Another address for Cloudflare's API, for tests." },
  TERMS_URL: { feature: 'core', form: 'link', line: 'Your terms of use, linked at login, in the settings and on shared pages.' },
  PRIVACY_URL: { feature: 'core', form: 'link', line: 'Your privacy policy, linked in the same places.' },
  IMPRINT_URL: { feature: 'core', form: 'link', line: 'Your imprint, linked in the same places.' },
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

/** For operators: the name of each feature in `npm run deploy -- enable NAME`, and what it brings. */
export const featureNotes = {
  gateway: {
    name: 'gateway',
    brings: 'Models of OpenAI, Anthropic, Google and other providers, with one key of an AI gateway. Workers AI has others without a key.',
  },
  search: { name: 'search', brings: 'Answers that search and read the web through Exa, and Research.' },
  billing: { name: 'payments', brings: 'The PRO plan, paid through Stripe. The command creates the product, price, webhook and portal.' },
  mail: { name: 'mail', brings: 'Login by mail, and invitations to organizations, from a domain at Cloudflare or through Resend.' },
  google: { name: 'google', brings: 'Login with Google.' },
  github: { name: 'github', brings: 'Login with GitHub.' },
  redis: { name: 'redis', brings: 'Rate limits that are counted in one Redis at Upstash. D1 counts them otherwise.' },
  cron: { name: 'cron', brings: 'This page, and scheduled work on demand. Work on schedule runs anyway.' },
  files: { name: 'files', brings: 'Attachments and generated files, stored in R2.' },
} as const satisfies { readonly [feature in Feature]: { readonly name: string; readonly brings: string } }

export const enableCommand = (feature: Feature): string => `npm run deploy -- enable ${featureNotes[feature].name}`
