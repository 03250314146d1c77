/**
 * A running product with three kinds of providers: the gateway, OpenRouter and another server of the same protocol, all of them peers that
 * fail on request. An Ollama is reached like that other server.
 */
import { faultScript } from '../support/peers/faults.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import { startOpenAICompatiblePeer } from '../support/peers/openai-compatible.ts'
import type { Peer } from '../support/peers/peer-server.ts'
import { fixedPrices, type Product, startProduct, unlimitedWrites } from '../support/product.ts'
import { openDatabases } from '../support/record-file.ts'

export const ways = ['gateway', 'openrouter', 'compatible'] as const
export type Way = (typeof ways)[number]

/** The default model is the gateway's; each other provider has one of the same price. */
export const modelOf = (way: Way): string => (way === 'gateway' ? 'kimi-k2' : `model-by-${way}`)

export type Providers = { readonly product: Product; readonly peers: { readonly [W in Way]: Peer }; stop(): Promise<void> }

export async function startProviders(): Promise<Providers> {
  const [gateway, openrouter, compatible] = await Promise.all([
    startGatewayPeer(faultScript()),
    startOpenAICompatiblePeer(faultScript()),
    startOpenAICompatiblePeer(faultScript()),
  ])
  const peers = { gateway, openrouter, compatible }
  const product = await startProduct({
    env: {
      ...unlimitedWrites,
      ...fixedPrices,
      AI_GATEWAY_API_KEY: 'key',
      AI_GATEWAY_URL: gateway.url,
      OPENROUTER_API_KEY: 'key',
      OPENROUTER_URL: openrouter.url,
      OPENAI_COMPATIBLE_URL: compatible.url,
    },
  })
  await product.kill9()
  // In each database; the product reads the directory's.
  for (const database of openDatabases(product.stateDir)) {
    for (const way of ['openrouter', 'compatible'] as const)
      database
        .prepare(
          `insert into model (id, name, model, provider, description, capabilities, icon, credits, access, position, createdAt, updatedAt)
         values (?, ?, 'maker/model', ?, '', '["tools"]', 'other', 1, 'public', 1, 1, 1)`,
        )
        .run(modelOf(way), `Model by ${way}`, way)
    database.close()
  }
  await product.restart()
  return {
    product,
    peers,
    stop: async () => {
      await Promise.all(Object.values(peers).map((peer) => peer.stop()))
      await product.stop()
    },
  }
}
