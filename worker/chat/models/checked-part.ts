/**
 * The parts of a vendor's stream, checked where they arrive: what their types promise is a word of the SDK's, and the gateway passes on what it
 * was sent. Looked at is what is read without a question further on. Kinds of which the SDK knows and that nobody here reads, and files, which
 * are parsed where they are kept, pass as they are.
 */
import { isRecord } from '../../contract/is-record.ts'
import { reportedIn, UnreadableModelError } from '../model-errors.ts'
import type { VendorPart } from './vendor-model.ts'

/** Of every kind there is, what has to be text. */
const texts: { readonly [Type in VendorPart['type']]: readonly string[] } = {
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

/**
 * Null for what leaves an answer as whole as it was: a source without an address, a kind that is not known here. Throws what cannot be read,
 * be it JSON or not.
 */
export function checkedPart(said: unknown): VendorPart | null {
  if (!isRecord(said)) throw noPart()
  if (typeof said.type !== 'string') throw reportedIn(said) ?? noPart()
  if (!isKind(said.type)) return null
  const isWhole = texts[said.type].every((name) => typeof said[name] === 'string') && (said.type !== 'finish' || saysWhy(said.finishReason))
  if (!isWhole) throw new UnreadableModelError(`of a part of the kind ${JSON.stringify(said.type.slice(0, 40))} something is not there`)
  if (said.type === 'source' && said.sourceType === 'url') return sourceOf(said)
  return said as VendorPart
}

const noPart = () => new UnreadableModelError('an event is no part of an answer')

const isKind = (type: string): type is VendorPart['type'] => Object.hasOwn(texts, type)

const saysWhy = (reason: unknown): boolean => isRecord(reason) && typeof reason.unified === 'string'

function sourceOf(said: Readonly<Record<string, unknown>>): VendorPart | null {
  const { id, url, title } = said
  if (typeof id !== 'string' || typeof url !== 'string') return null
  return (typeof title === 'string' ? said : { ...said, title: undefined }) as VendorPart
}
