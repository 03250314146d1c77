/**
 * The only place that knows how a model of the catalogue is reached. Three constructors reach every vendor: the gateway with its one
 * key, anything that speaks the OpenAI protocol, and Cloudflare's own models by their binding. Where nothing is connected the demo model answers, except in production,
 * where nothing is a stand-in.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { RowOf } from '../../contract/schema.ts'
import type { Settings } from '../../env.ts'
import { boundedModel } from './bounded-answers.ts'
import { demoModel } from './demo-model.ts'
import { type FileSlots, withFiles } from './file-body.ts'
import { gatewayModel } from './gateway-model.ts'
import type { VendorModel } from './vendor-model.ts'
import { workersModel } from './workers-model.ts'

export type ModelConnections = Pick<Settings, 'environment' | 'gateway' | 'openrouter' | 'ollama' | 'compatible' | 'workersAi'>

type ModelRow = Pick<RowOf<'model'>, 'model' | 'name' | 'provider'>

export type ConnectedModel = {
  readonly model: VendorModel
  /** Who writes titles for threads that this model answers in; null: nobody, the first words must do. */
  readonly titleModel: VendorModel | null
  readonly demo: boolean
}

/**
 * In the gateway's catalogue, 15 cents per million tokens either way, and a model that cannot think: the catalog of @ai-sdk/mistral 4.0.87
 * counts it among those that know no reasoning effort. A thinking model of that price may spend a title's whole allowance on thoughts.
 */
export const titleSlug = 'mistral/ministral-8b'

// Warnings of the SDK (a vendor that ignores temperature, say) are not for our log.
globalThis.AI_SDK_LOG_WARNINGS = false

/** Null when this model is not connected and no stand-in may take its place. */
/** `files`: what takes the place of placeholders in the requests of this model. */
export function connectModel(connections: ModelConnections, row: ModelRow, files: FileSlots = noFiles): ConnectedModel | null {
  const model = vendorModel(
    connections,
    row,
    withFiles(files, (input, init) => fetch(input, init)),
    files,
  )
  if (model) return { ...model, demo: false }
  return connections.environment === 'production' ? null : { model: demoModel(row.name), titleModel: null, demo: true }
}

const noFiles: FileSlots = new Map()

function vendorModel(
  { gateway, openrouter, ollama, compatible, workersAi }: ModelConnections,
  { provider, model: slug }: ModelRow,
  send: typeof fetch,
  files: FileSlots,
): Omit<ConnectedModel, 'demo'> | null {
  switch (provider) {
    case 'openrouter':
      return openrouter && compatibleModel('openrouter', openrouter.url, openrouter.apiKey, slug, send)
    case 'ollama':
      return ollama && compatibleModel('ollama', ollama.url, null, slug, send)
    case 'compatible':
      return compatible && compatibleModel('compatible', compatible.url, compatible.apiKey, slug, send)
    case 'workers-ai':
      return workersAi && alone(workersModel(workersAi, slug, files))
    case 'gateway': {
      // A server that stands in for the gateway knows its models by the same slugs, or says that it does not.
      if (!gateway) return compatible && compatibleModel('compatible', compatible.url, compatible.apiKey, slug, send)
      return { model: gatewayModel(gateway, slug, send), titleModel: gatewayModel(gateway, titleSlug, send) }
    }
    default:
      return null
  }
}

function compatibleModel(
  name: string,
  baseURL: string,
  apiKey: string | null,
  slug: string,
  send: typeof fetch,
): Omit<ConnectedModel, 'demo'> {
  // Not asked what an answer took, which nobody reads and Mistral's server refuses to be asked.
  const settings = { name, baseURL, ...(apiKey ? { apiKey } : {}) }
  return alone(boundedModel((by) => createOpenAICompatible({ ...settings, fetch: by })(slug), send))
}

/** These servers have no small model that we could know of: the one that answers also writes the title, even if it has to think first. */
const alone = (model: VendorModel): Omit<ConnectedModel, 'demo'> => ({ model, titleModel: model })
