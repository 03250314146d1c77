/**
 * Connects a catalogue row to its provider. Three packages reach every provider: the gateway's, one for servers of the OpenAI protocol, and
 * Cloudflare's for the Workers AI binding. In development, the demo model answers for a provider that is not connected.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createGateway, type LanguageModelMiddleware, wrapLanguageModel } from 'ai'
import { createWorkersAI } from 'workers-ai-provider'
import { reasoningSilenceFactor } from '../../contract/limits.ts'
import type { TokenPrices } from '../../contract/models/model-use.ts'
import { smallModels } from '../../contract/models/small-models.ts'
import type { RowOf } from '../../contract/schema.ts'
import type { Settings } from '../../settings.ts'
import { type BoundedConnection, boundedConnection, boundedEvents, type NewEventReader } from './bounded-connection.ts'
import { type FileSlots, fillIn, withFiles } from './files.ts'
import { retryWithoutLimit } from './middleware.ts'
import { openAIEvents } from './openai-events.ts'
import { checkedModel } from './stream-checks.ts'
import type { ProviderModel } from './types.ts'
import type { RequestedModel } from './usage.ts'

export type ModelConnections = Pick<
  Settings,
  'standIns' | 'modelSilenceMs' | 'gateway' | 'openrouter' | 'ollama' | 'compatible' | 'workersAi'
>

type ModelRow = Pick<RowOf<'model'>, 'model' | 'name' | 'provider'> & Partial<Pick<RowOf<'model'>, 'capabilities'>> & TokenPrices

/** Writes titles and summaries, and finds facts for the memory. */
export type SmallModel = {
  readonly model: ProviderModel
  /** Null for the demo model, whose requests are not recorded. */
  readonly requested: RequestedModel | null
}

export type ConnectedModel = {
  readonly model: ProviderModel
  /** The small model for threads that `model` answers in. Each call returns another connection, because a connection serves one call at a time. */
  readonly small: () => SmallModel
  readonly demo: boolean
}

// The SDK prints warnings, such as for a provider that ignores the temperature.
globalThis.AI_SDK_LOG_WARNINGS = false

/**
 * Null when the model is not connected and the demo model may not replace it. `files`: the contents of placeholders in its requests.
 * `attribution`: applies to requests to the gateway.
 */
export function connectModel(
  connections: ModelConnections,
  row: ModelRow,
  files: FileSlots = new Map(),
  attribution?: LanguageModelMiddleware,
): ConnectedModel | null {
  const connect = connector(connections, row, files, attribution)
  if (connect) {
    const requested = smallRequest(connections, row)
    return { model: connect(row.model), small: () => ({ model: connect(requested.model), requested }), demo: false }
  }
  const model = connections.standIns?.model(row.name)
  return model ? { model, small: () => ({ model, requested: null }), demo: true } : null
}

/** Other servers seldom have one of these models, so the model of the answer is also the small one. */
function smallRequest({ gateway }: ModelConnections, row: ModelRow): RequestedModel {
  if (row.provider === 'workers-ai') return smallModels['workers-ai']
  return row.provider === 'gateway' && gateway ? smallModels.gateway : row
}

type Connect = (slug: string) => ProviderModel

function connector(
  { modelSilenceMs, gateway, openrouter, ollama, compatible, workersAi }: ModelConnections,
  { provider, capabilities }: ModelRow,
  files: FileSlots,
  attribution: LanguageModelMiddleware | undefined,
): Connect | null {
  const silenceMs = capabilities?.includes('reasoning') ? modelSilenceMs * reasoningSilenceFactor : modelSilenceMs
  const transport = { send: withFiles(files, (input, init) => fetch(input, init)), silenceMs }
  switch (provider) {
    case 'openrouter':
      return openrouter && compatibleModel('openrouter', openrouter, transport)
    case 'ollama':
      return ollama && compatibleModel('ollama', { url: ollama.url, apiKey: null }, transport)
    case 'compatible':
      return compatible && compatibleModel('compatible', compatible, transport)
    case 'workers-ai':
      return workersAi && workersModel(workersAi, files, silenceMs)
    case 'gateway':
      // Without a gateway, a compatible server is tried with the gateway's slugs.
      return gateway ? gatewayModel(gateway, transport, attribution) : compatible && compatibleModel('compatible', compatible, transport)
    default:
      return null
  }
}

/** `silenceMs`: the longest wait for the response, and for bytes of its stream. */
type Transport = { readonly send: typeof fetch; readonly silenceMs: number }

const checked = (
  { send, silenceMs }: Transport,
  create: (connection: BoundedConnection) => ProviderModel,
  eventReader?: NewEventReader,
): ProviderModel => {
  const connection = boundedConnection(send, silenceMs, eventReader)
  return checkedModel(create(connection), { silenceMs, takeViolation: connection.takeViolation })
}

const gatewayModel =
  ({ apiKey, url }: NonNullable<Settings['gateway']>, transport: Transport, attribution: LanguageModelMiddleware | undefined): Connect =>
  (slug) => {
    const model = checked(transport, ({ fetch }) => createGateway({ apiKey, fetch, ...(url ? { baseURL: url } : {}) })(slug))
    return attribution ? wrapLanguageModel({ model, middleware: attribution }) : model
  }

/**
 * Most servers of the OpenAI protocol send the token counts of a stream only on request. Mistral always sends them, and rejects
 * `stream_options`.
 */
const mayRequestUsage = (url: string): boolean => !URL.canParse(url) || !/(?:^|\.)mistral\.ai$/.test(new URL(url).hostname)

const compatibleModel =
  (name: string, { url, apiKey }: { readonly url: string; readonly apiKey: string | null }, transport: Transport): Connect =>
  (slug) => {
    const settings = { name, baseURL: url, includeUsage: mayRequestUsage(url), ...(apiKey ? { apiKey } : {}) }
    const model = checked(transport, ({ fetch }) => createOpenAICompatible({ ...settings, fetch })(slug), openAIEvents)
    return wrapLanguageModel({ model, middleware: retryWithoutLimit() })
  }

/** The binding takes values instead of bytes, so files are filled in before. It reads images only, which are small. */
const workersModel =
  (binding: Ai, files: FileSlots, silenceMs: number): Connect =>
  (slug) => {
    let violation: Error | null = null
    const run = async (name: unknown, inputs: unknown, options: { readonly signal?: AbortSignal }): Promise<unknown> => {
      violation = null
      const answer = await (binding.run as unknown as (...all: unknown[]) => Promise<unknown>).call(
        binding,
        name,
        await fillIn(inputs, files),
        options,
      )
      if (!(answer instanceof ReadableStream)) return answer
      const onViolation = (error: Error) => {
        violation = error
      }
      // The stream of the binding does not end with the signal of its request.
      const body = answer.pipeThrough(new TransformStream(), options.signal ? { signal: options.signal } : {})
      return boundedEvents(body, { silenceMs, onViolation, eventReader: openAIEvents })
    }
    // The package calls only `run`; its types ask for the whole binding.
    const model = createWorkersAI({ binding: { run } as unknown as Ai })(slug)
    return checkedModel(model, { silenceMs, takeViolation: () => violation })
  }
