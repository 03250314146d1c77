/**
 * The only place that knows how a model of the catalogue is reached. Two constructors reach every vendor: the gateway with its one key,
 * and anything that speaks the OpenAI protocol. Where nothing is connected the demo model answers, except in production,
 * where nothing is a stand-in.
 */
import { createGateway } from '@ai-sdk/gateway'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { RowOf } from '../../contract/schema.ts'
import type { Settings } from '../../env.ts'
import { demoModel } from './demo-model.ts'
import type { VendorModel } from './vendor-model.ts'

export type ModelConnections = Pick<Settings, 'environment' | 'gateway' | 'openrouter' | 'ollama' | 'compatible'>

type ModelRow = Pick<RowOf<'model'>, 'model' | 'name' | 'provider'>

export type ConnectedModel = {
  readonly model: VendorModel
  /** Who writes titles for threads that this model answers in; null: nobody, the first words must do. */
  readonly titleModel: VendorModel | null
  readonly demo: boolean
}

/** Small, quick and cheap, and in the gateway's catalogue. */
const titleSlug = 'openai/gpt-5-nano'

// Warnings of the SDK (a vendor that ignores temperature, say) are not for our log.
globalThis.AI_SDK_LOG_WARNINGS = false

/** Null when this model is not connected and no stand-in may take its place. */
export function connectModel(connections: ModelConnections, row: ModelRow): ConnectedModel | null {
  const model = vendorModel(connections, row)
  if (model) return { ...model, demo: false }
  return connections.environment === 'production' ? null : { model: demoModel(row.name), titleModel: null, demo: true }
}

function vendorModel(connections: ModelConnections, { provider, model: slug }: ModelRow): Omit<ConnectedModel, 'demo'> | null {
  const { gateway, openrouter, ollama, compatible } = connections
  switch (provider) {
    case 'openrouter':
      return openrouter && compatibleModel('openrouter', openrouter.url, openrouter.apiKey, slug)
    case 'ollama':
      return ollama && compatibleModel('ollama', ollama.url, null, slug)
    case 'compatible':
      return compatible && compatibleModel('compatible', compatible.url, compatible.apiKey, slug)
    case 'gateway': {
      // A server that stands in for the gateway knows its models by the same slugs, or says that it does not.
      if (!gateway) return compatible && compatibleModel('compatible', compatible.url, compatible.apiKey, slug)
      const vendors = createGateway({ apiKey: gateway.apiKey, ...(gateway.url ? { baseURL: gateway.url } : {}) })
      return { model: vendors(slug), titleModel: vendors(titleSlug) }
    }
    default:
      return null
  }
}

/** These servers have no small model that we could know of: the one that answers also writes the title. */
function compatibleModel(name: string, baseURL: string, apiKey: string | null, slug: string): Omit<ConnectedModel, 'demo'> {
  const model = createOpenAICompatible({ name, baseURL, includeUsage: true, ...(apiKey ? { apiKey } : {}) })(slug)
  return { model, titleModel: model }
}
