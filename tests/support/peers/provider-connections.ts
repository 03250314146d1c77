/** Both connections to a provider, each with its peer: tests run for both. */
import { connectModel, type ModelConnections } from '../../../worker/chat/model/providers.ts'
import type { Capability } from '../../../worker/contract/files.ts'
import { startGatewayPeer } from './gateway.ts'
import { startOpenAICompatiblePeer } from './openai-compatible.ts'

/** A deployment without connected providers. */
export const none: ModelConnections = {
  standIns: null,
  modelSilenceMs: 60_000,
  gateway: null,
  openrouter: null,
  ollama: null,
  compatible: null,
  workersAi: null,
}
export const providerConnections = [
  {
    provider: 'gateway',
    start: startGatewayPeer,
    connections: (url: string): ModelConnections => ({ ...none, gateway: { apiKey: 'the-key', url } }),
  },
  {
    provider: 'compatible',
    start: startOpenAICompatiblePeer,
    connections: (url: string): ModelConnections => ({ ...none, compatible: { url, apiKey: 'the-key' } }),
  },
] as const

export const connect = (
  connections: ModelConnections,
  provider: string,
  model = 'maker/slug',
  capabilities: readonly Capability[] = [],
) => {
  const connected = connectModel(connections, { provider, model, name: 'Name', capabilities })
  if (!connected) throw new Error('a configured model is connected')
  return connected
}
