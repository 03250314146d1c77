/** GET /api/health: configured services and their simulations. Public, so it contains names of settings and never values. */
import type { HealthBody, PartState } from '../contract/http.ts'
import { type Feature, version } from '../setting-definitions.ts'
import { readSettings, type Settings, type SettingsResult } from '../settings.ts'
import type { AppContext } from './http.ts'

export function handleHealth(c: AppContext): Response {
  const result = readSettings(c.env)
  return c.json(healthOf(result), result.ok ? 200 : 503, { 'cache-control': 'no-store' })
}

export function healthOf(result: SettingsResult): HealthBody {
  if (!result.ok) {
    const parts = Object.fromEntries(
      result.problems.map(({ name, reason, prefix = '' }) => [name, { state: 'off' as const, detail: prefix + reason }]),
    )
    return { status: 'misconfigured', environment: result.environment, version, parts }
  }
  const { settings } = result
  return { status: 'ok', environment: settings.environment, version, parts: partsOf(settings) }
}

type Part = { readonly state: PartState; readonly detail: string }

function partsOf(settings: Settings): HealthBody['parts'] {
  const { disabledFeatures, standIns } = settings
  const isDevelopment = settings.environment === 'development'
  /** `otherwise`: the replacement in development, or `off` if the feature has none. */
  const feature = (name: Feature, isSet: boolean, real: string, otherwise: Part): Part => {
    if (disabledFeatures.has(name)) return { state: 'off', detail: 'switched off by DISABLED_FEATURES' }
    return isSet ? { state: 'real', detail: real } : otherwise
  }
  const standIn = (detail: string): Part => ({ state: 'stand-in', detail })
  const off = (setting: string): Part => ({ state: 'off', detail: `${setting} is not set` })
  const optional = (isSet: boolean, real: string, setting: string): Part => (isSet ? { state: 'real', detail: real } : off(setting))

  return {
    database: { state: 'real', detail: isDevelopment ? 'D1, kept on this machine' : 'D1' },
    models: feature(
      'gateway',
      settings.gateway !== null,
      'AI gateway',
      standIns ? standIn('the built-in demo model answers for every model (AI_GATEWAY_API_KEY)') : off('AI_GATEWAY_API_KEY'),
    ),
    openrouter: optional(settings.openrouter !== null, 'OpenRouter', 'OPENROUTER_API_KEY'),
    ollama: optional(settings.ollama !== null, 'Ollama', 'OLLAMA_URL'),
    compatible: optional(settings.compatible !== null, 'an OpenAI-compatible address', 'OPENAI_COMPATIBLE_URL'),
    'workers-ai': settings.workersAi ? { state: 'real', detail: 'Workers AI' } : { state: 'off', detail: 'AI is not bound' },
    search: feature(
      'search',
      settings.search !== null,
      'web search',
      standIns ? standIn('a few bundled pages are searched (SEARCH_API_KEY)') : off('SEARCH_API_KEY'),
    ),
    payments: feature(
      'billing',
      settings.stripe !== null,
      'Stripe',
      standIns ? standIn('a simulated checkout takes no money (STRIPE_SECRET_KEY)') : off('STRIPE_SECRET_KEY'),
    ),
    files: feature('files', settings.hasFiles, isDevelopment ? 'R2, kept on this machine' : 'R2', off('FILES')),
    mail: feature(
      'mail',
      settings.mail !== null,
      settings.mail?.via === 'cloudflare' ? 'Email Service of Cloudflare' : 'Resend',
      standIn('mail lands in the development outbox, GET /api/outbox (RESEND_API_KEY)'),
    ),
    google: feature('google', settings.google !== null, 'login with Google', off('GOOGLE_CLIENT_ID')),
    github: feature('github', settings.github !== null, 'login with GitHub', off('GITHUB_CLIENT_ID')),
    // Counting is always on.
    redis: { state: 'real', detail: settings.redis === null ? 'D1 counts attempts' : 'Upstash Redis' },
    turnstile: optional(settings.turnstile !== null, 'Cloudflare Turnstile', 'TURNSTILE_SECRET_KEY'),
  }
}
