/** The connections to providers, each with its peer. */
import { connectModel, type ModelConnections } from '../../../worker/chat/model/providers.ts'
import type { Capability } from '../../../worker/contract/files/files.ts'
import { startGatewayPeer } from './gateway.ts'
import { startOpenAICompatiblePeer } from './openai-compatible.ts'
import { bindingTo } from './workers-ai.ts'

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
/** One connection for each protocol over HTTP. */
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

const ofOpenAIProtocol = { start: startOpenAICompatiblePeer } as const

/** Every connection of the product. OpenRouter, Ollama and other servers of the OpenAI protocol have the same package and different settings. */
export const everyConnection = [
  ...providerConnections,
  {
    ...ofOpenAIProtocol,
    provider: 'openrouter',
    connections: (url: string): ModelConnections => ({ ...none, openrouter: { url, apiKey: 'the-key' } }),
  },
  { ...ofOpenAIProtocol, provider: 'ollama', connections: (url: string): ModelConnections => ({ ...none, ollama: { url } }) },
  {
    ...ofOpenAIProtocol,
    provider: 'workers-ai',
    connections: (url: string): ModelConnections => ({ ...none, workersAi: bindingTo(url) }),
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
