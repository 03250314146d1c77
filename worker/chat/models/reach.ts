/** Whether this deployment reaches a provider at all, and if not, why, as the catalogue says it. Pure. */
import type { RefusalCode } from '../../contract/errors.ts'
import type { ModelConnections } from './language-model.ts'

/** In development the demo model answers in place of whatever is missing. */
export function unreached(connections: ModelConnections, provider: string): RefusalCode | null {
  const { environment, gateway, openrouter, ollama, compatible, workersAi } = connections
  if (environment === 'development') return null
  const isConnected: { readonly [provider: string]: boolean } = {
    gateway: gateway !== null || compatible !== null,
    openrouter: openrouter !== null,
    ollama: ollama !== null,
    compatible: compatible !== null,
    'workers-ai': workersAi !== null,
  }
  return isConnected[provider] ? null : 'model_not_connected'
}
