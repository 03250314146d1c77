/**
 * Checks the parts of a provider's stream where they arrive, because the SDK's types are not verified: the gateway's package passes on whatever
 * it receives. Only fields that are read later without a check are checked here. Files are parsed where they are stored.
 */
import { TypeValidationError } from 'ai'
import { isRecord } from '../../contract/is-record.ts'
import { ModelStreamError, reportedIn, UnreadableModelError } from './errors.ts'
import type { VendorPart } from './types.ts'

/** The fields of each type that must be strings. */
const strings: { readonly [Type in VendorPart['type']]: readonly string[] } = {
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
export function checkedPart(value: unknown): VendorPart | null {
  if (!isRecord(value)) throw noPart()
  if (typeof value.type !== 'string') throw reportedIn(value) ?? noPart()
  if (!isKnown(value.type)) return null
  if (!strings[value.type].every((name) => typeof value[name] === 'string'))
    throw new UnreadableModelError(`a ${value.type} part misses a field`)
  if (value.type === 'finish') return finishOf(value)
  if (value.type === 'error') return errorOf(value.error)
  if (value.type === 'source' && value.sourceType === 'url') return sourceOf(value)
  if (value.type === 'stream-start') return { type: 'stream-start', warnings: [] }
  return value as VendorPart
}

const noPart = () => new UnreadableModelError('an event is no part of an answer')

const isKnown = (type: string): type is VendorPart['type'] => Object.hasOwn(strings, type)

type Finish = Extract<VendorPart, { readonly type: 'finish' }>

export const unknownUsage: Finish['usage'] = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

/** The SDK fails on a finish part without usage; some providers leave it out. */
function finishOf(value: Readonly<Record<string, unknown>>): VendorPart {
  const { finishReason, usage } = value
  if (!isRecord(finishReason) || typeof finishReason.unified !== 'string') throw new UnreadableModelError('a finish part has no reason')
  return { ...(value as Finish), finishReason: knownReason(finishReason as Finish['finishReason']), usage: checkedUsage(usage) }
}

/** The package for Workers AI reports a cut stream and a filtered answer as complete. */
function knownReason(reason: Finish['finishReason']): Finish['finishReason'] {
  if (reason.raw === 'content_filter') return { ...reason, unified: 'content-filter' }
  return reason.raw === 'stream-truncated' ? { unified: 'other', raw: undefined } : reason
}

export const checkedUsage = (usage: unknown): Finish['usage'] =>
  isRecord(usage) && isRecord(usage.inputTokens) && isRecord(usage.outputTokens) ? (usage as Finish['usage']) : unknownUsage

/**
 * Null for an event that only names the cost. Servers of the OpenAI protocol report errors in forms of their own, which the package calls
 * invalid; the error is then in the rejected value.
 */
function errorOf(error: unknown): VendorPart | null {
  const rejected = TypeValidationError.isInstance(error) && isRecord(error.value) ? error.value : null
  if (rejected && rejected.choices === undefined && rejected.usage !== undefined && rejected.error === undefined) return null
  const reported = rejected && reportedIn(rejected)
  return { type: 'error', error: reported ?? (error instanceof Error ? error : new ModelStreamError(error)) }
}

function sourceOf(value: Readonly<Record<string, unknown>>): VendorPart | null {
  const { id, url, title } = value
  if (typeof id !== 'string' || typeof url !== 'string') return null
  return (typeof title === 'string' ? value : { ...value, title: undefined }) as VendorPart
}
