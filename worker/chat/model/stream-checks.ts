/**
 * Checks the stream of a provider where it arrives, as the SDK's middleware, because the SDK's types are not verified: the gateway's package passes on
 * whatever it receives. Only fields that are read later without a check are checked here. Files are parsed where they are stored.
 */
import { wrapLanguageModel } from 'ai'
import { isRecord } from '../../contract/is-record.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import { coalesced } from './coalesced.ts'
import { ModelStreamError, reportedIn, SilentModelError, UnreadableModelError } from './errors.ts'
import { mayWriteMarks, retypedMessage, splitContent, thoughtReader } from './thoughts.ts'
import type { ProviderModel, ProviderPart } from './types.ts'
import { type Tools, toolsIn, writtenCallReader } from './written-calls.ts'

type StreamChecks = {
  /** The longest wait for the response. The connection limits the waits for bytes. */
  readonly silenceMs: number
  /** Why the connection ended the stream early, if it did. */
  readonly takeViolation: () => Error | null
}

/** Checks the parts, and separates the thoughts and the calls that servers leave in the text. */
export const checkedModel = (model: ProviderModel, { silenceMs, takeViolation }: StreamChecks): ProviderModel =>
  wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      transformParams: async ({ params }) => ({ ...params, prompt: params.prompt.map(retypedMessage) }),
      // Only titles are not streamed.
      wrapGenerate: async ({ doGenerate }) => {
        const answer = await doGenerate()
        return { ...answer, content: splitContent(model.modelId, answer.content), usage: checkedUsage(answer.usage), warnings: [] }
      },
      wrapStream: async ({ doStream, params }) => {
        const answer = await withTimeout(silenceMs, Promise.resolve(doStream()), () => {
          throw new SilentModelError('no response within the time limit')
        })
        const tools = toolsIn(params)
        return { ...answer, stream: checkedStream(answer.stream, model.modelId, tools, takeViolation) }
      },
    },
  })

/** The steps of a part are functions in one stage, because a stage of a stream costs more processor time than they do. */
function checkedStream(
  source: ReadableStream<ProviderPart>,
  modelId: string,
  tools: Tools,
  takeViolation: StreamChecks['takeViolation'],
): ReadableStream<ProviderPart> {
  let send: (part: ProviderPart) => void = () => {}
  const emit = (part: ProviderPart) => send(part)
  const hasMarks = mayWriteMarks(modelId)
  const calls = hasMarks && tools.size > 0 ? writtenCallReader(tools, emit) : { read: emit, end: () => {} }
  const thoughts = hasMarks ? thoughtReader(modelId, calls.read) : { read: calls.read, end: () => {} }
  const blocks = openBlocks()
  let hasUnknown = false
  let isEnded = false
  const fail = (error: unknown) => {
    isEnded = true
    thoughts.read({ type: 'error', error })
  }
  return coalesced<ProviderPart, ProviderPart>(source, {
    read: (value, sent) => {
      send = sent
      const part = checkedPart(value)
      hasUnknown ||= part === null
      if (part === null) return false
      const violation = part.type === 'finish' || part.type === 'error' ? takeViolation() : null
      if (violation) fail(violation)
      else for (const each of blocks(part)) thoughts.read(each)
      isEnded ||= part.type === 'finish'
      return isEnded
    },
    end: (sent, failure) => {
      send = sent
      if (failure) fail(failure.error)
      const violation = isEnded
        ? null
        : (takeViolation() ?? (hasUnknown ? new UnreadableModelError('no part of the answer is of a known type') : null))
      if (violation) fail(violation)
      thoughts.end()
      calls.end()
    },
    // The parts of one chunk of bytes, which has been joined before.
    intervalMs: 0,
    join: joinedDeltas,
    isUrgent: (part) => !isJoinable(part),
  })
}

type Delta = Extract<ProviderPart, { readonly type: 'text-delta' | 'reasoning-delta' }>

/** A delta with metadata of the provider, such as a signature, stays alone. */
const isJoinable = (part: ProviderPart): part is Delta =>
  (part.type === 'text-delta' || part.type === 'reasoning-delta') && part.providerMetadata === undefined

const joinedDeltas = (first: ProviderPart, second: ProviderPart): ProviderPart | null =>
  isJoinable(first) && isJoinable(second) && first.type === second.type && first.id === second.id
    ? { ...first, delta: first.delta + second.delta }
    : null

/** The SDK fails on a start, a delta or an end that does not fit the blocks that are open, such as after a repeated event. */
function openBlocks(): (part: ProviderPart) => readonly ProviderPart[] {
  const open = new Set<string>()
  return (part) => {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const key = `${part.type} ${part.id}`
        if (open.has(key)) return []
        open.add(key)
        return [part]
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const type = part.type === 'text-delta' ? 'text-start' : 'reasoning-start'
        const key = `${type} ${part.id}`
        if (open.has(key)) return [part]
        open.add(key)
        return [{ type, id: part.id }, part]
      }
      case 'text-end':
        return open.delete(`text-start ${part.id}`) ? [part] : []
      case 'reasoning-end':
        return open.delete(`reasoning-start ${part.id}`) ? [part] : []
      default:
        return [part]
    }
  }
}

/** The fields of each type that must be strings. */
const strings: { readonly [Type in ProviderPart['type']]: readonly string[] } = {
  'text-start': ['id'],
  'text-delta': ['id', 'delta'],
  'text-end': ['id'],
  'reasoning-start': ['id'],
  'reasoning-delta': ['id', 'delta'],
  'reasoning-end': ['id'],
  'tool-input-start': ['id', 'toolName'],
  'tool-input-delta': ['id', 'delta'],
  'tool-input-end': ['id'],
  'tool-call': ['toolCallId', 'toolName', 'input'],
  'tool-result': ['toolCallId', 'toolName'],
  'tool-approval-request': ['approvalId', 'toolCallId'],
  'stream-start': [],
  'response-metadata': [],
  'reasoning-file': [],
  custom: [],
  source: [],
  finish: [],
  error: [],
  file: [],
  ping: [],
  raw: [],
}

/** Null for a part that can be left out: of an unknown type, or a source without an address. Throws for one that cannot be read. */
function checkedPart(value: unknown): ProviderPart | null {
  if (!isRecord(value)) throw noPart()
  if (typeof value.type !== 'string') throw reportedIn(value) ?? noPart()
  if (!isKnown(value.type)) return null
  if (!strings[value.type].every((name) => typeof value[name] === 'string'))
    throw new UnreadableModelError(`a ${value.type} part misses a field`)
  if (value.type === 'finish') return finishOf(value)
  if (value.type === 'error')
    return { type: 'error', error: value.error instanceof Error ? value.error : new ModelStreamError(value.error) }
  if (value.type === 'source' && value.sourceType === 'url') return sourceOf(value)
  if (value.type === 'stream-start') return { type: 'stream-start', warnings: [] }
  return value as ProviderPart
}

const noPart = () => new UnreadableModelError('an event is no part of an answer')

const isKnown = (type: string): type is ProviderPart['type'] => Object.hasOwn(strings, type)

type Finish = Extract<ProviderPart, { readonly type: 'finish' }>

const unknownUsage: Finish['usage'] = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

/** The SDK fails on a finish part without usage; some providers leave it out. */
function finishOf(value: Readonly<Record<string, unknown>>): ProviderPart {
  const { finishReason, usage } = value
  if (!isRecord(finishReason) || typeof finishReason.unified !== 'string') throw new UnreadableModelError('a finish part has no reason')
  return { ...(value as Finish), finishReason: knownReason(finishReason as Finish['finishReason']), usage: checkedUsage(usage) }
}

/** The package for Workers AI reports a cut stream as an error of the model. */
const knownReason = (reason: Finish['finishReason']): Finish['finishReason'] =>
  reason.raw === 'stream-truncated' ? { unified: 'other', raw: undefined } : reason

const checkedUsage = (usage: unknown): Finish['usage'] =>
  isRecord(usage) && isRecord(usage.inputTokens) && isRecord(usage.outputTokens) ? (usage as Finish['usage']) : unknownUsage

function sourceOf(value: Readonly<Record<string, unknown>>): ProviderPart | null {
  const { id, url, title } = value
  if (typeof id !== 'string' || typeof url !== 'string') return null
  return (typeof title === 'string' ? value : { ...value, title: undefined }) as ProviderPart
}
