/** Model servers of a deployment without the gateway: each lists its models and answers as one of them. */
import { startJsonServer } from './json-server.ts'
import { startOpenAICompatiblePeer } from './openai-compatible.ts'
import type { Peer } from './peer-server.ts'

export type OwnModels = { readonly env: Readonly<Record<string, string>>; readonly provider: Peer; stop(): Promise<void> }

/** Production, because development has a stand-in for every missing service. */
const production = (url: string) => ({
  ENVIRONMENT: 'production',
  BETTER_AUTH_SECRET: 'of-a-test-and-of-no-other-deployment-at-all',
  PUBLIC_URL: url,
  DISABLED_FEATURES: 'gateway,search,billing,mail,google,github,redis,cron',
})

const originOf = ({ url }: { readonly url: string }): string => new URL(url).origin

/** An Ollama without the model of the catalogue's row. */
export async function startOllamaAlone(publicUrl: string): Promise<OwnModels> {
  const provider = await startOpenAICompatiblePeer([{ kind: 'answer', words: ['By ', 'Ollama.'] }])
  const answers = {
    '/api/tags': { models: [{ name: 'qwen3:8b', digest: 'of-qwen3' }] },
    '/api/show': { capabilities: ['completion', 'tools', 'thinking'] },
  }
  const list = await startJsonServer(answers, originOf(provider))
  return { provider, env: { ...production(publicUrl), OLLAMA_URL: `${list.url}/v1` }, stop: () => stopAll([list, provider]) }
}

export async function startOpenRouterAlone(publicUrl: string): Promise<OwnModels> {
  const provider = await startOpenAICompatiblePeer([{ kind: 'answer', words: ['By ', 'OpenRouter.'] }])
  const list = await startJsonServer({ '/v1/models': { data: openRouterList } }, originOf(provider))
  const env = { ...production(publicUrl), OPENROUTER_API_KEY: 'key', OPENROUTER_URL: `${list.url}/v1` }
  return { provider, env, stop: () => stopAll([list, provider]) }
}

const stopAll = async (servers: readonly { stop(): Promise<void> }[]): Promise<void> => {
  await Promise.all(servers.map((server) => server.stop()))
}

const openRouterModel = (id: string, name: string, dollarsOut: number) => ({
  id,
  name,
  created: 1_790_000_000,
  architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
  supported_parameters: ['tools', 'temperature'],
  pricing: { prompt: '0.0000001', completion: String(dollarsOut / 1_000_000) },
})

const openRouterList = [
  openRouterModel('anthropic/claude-opus-5', 'Anthropic: Claude Opus 5', 25),
  openRouterModel('openrouter/auto', 'Auto Router', -1_000_000),
  openRouterModel('moonshotai/kimi-k2', 'MoonshotAI: Kimi K2', 2.3),
  openRouterModel('google/gemini-2.5-flash', 'Google: Gemini 2.5 Flash', 2.5),
  openRouterModel('mistralai/mistral-small', 'Mistral: Mistral Small', 0.3),
]
