/**
 * The tool calls of a model: each call gets an id that is unique in its answer (`ToolCallIds`). Calls of tools that the provider
 * ran itself are dropped; none was offered to it.
 */
import type { ReadonlyJSONValue } from '@rocicorp/zero'
import { isDeeperThan } from '../../contract/is-record.ts'
import { maxJsonLevels } from '../../contract/limits.ts'
import { UnreadableModelError } from './errors.ts'
import { readableInput } from './readable-input.ts'
import type { ProviderPart } from './types.ts'

/** Chosen: a hundred times what the tools take. The SDK collects a call until it is complete. */
const maxInputChars = 256 * 1024

/** Reads the parts of one request. Null for a part that is dropped. Throws if the calls exceed their limits. */
export function ownToolCalls(ids: ToolCallIds): (part: ProviderPart) => ProviderPart | null {
  let chars = 0
  return (part) => {
    chars += part.type === 'tool-input-delta' ? part.delta.length : part.type === 'tool-call' ? part.input.length : 0
    if (chars > maxInputChars || (part.type === 'tool-call' && levelsIn(part.input) > maxJsonLevels))
      throw new UnreadableModelError('a tool call exceeds its limits')
    return ownPart(part, ids)
  }
}

function ownPart(part: ProviderPart, ids: ToolCallIds): ProviderPart | null {
  switch (part.type) {
    case 'tool-input-start':
      return part.providerExecuted ? null : { ...part, id: ids.begun(part.id.toWellFormed()), toolName: part.toolName.toWellFormed() }
    case 'tool-input-delta':
    case 'tool-input-end': {
      const id = part.id.toWellFormed()
      return ids.isOpen(id) ? { ...part, id: ids.answered(id) } : null
    }
    case 'tool-call': {
      if (part.providerExecuted) return null
      const { toolCallId, toolName, input } = part
      const id = ids.called(toolCallId.toWellFormed())
      return { ...part, toolCallId: id, toolName: toolName.toWellFormed(), input: readableInput(wellFormedJson(input)) }
    }
    case 'tool-result':
    case 'tool-approval-request':
    case 'reasoning-file':
    case 'custom':
      return null
    default:
      return part
  }
}

/** Matches one escape sequence: a surrogate pair, a lone surrogate, or any other. An escaped backslash is one sequence. */
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u([dD][89a-fA-F][\da-fA-F]{2})|.)/gs

/** Replaces lone surrogates, which providers reject when they get the call back. The JSON may be invalid. */
const wellFormedJson = (json: string): string =>
  json.toWellFormed().replace(escapes, (found, lone: string | undefined) => (lone === undefined ? found : '\\ufffd'))

/** Nesting of JSON that may be incomplete. */
export function levelsIn(json: string): number {
  let [levels, deepest] = [0, 0]
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const mark = json[at]
    if (mark === '"') isText = !isText
    else if (isText) at += mark === '\\' ? 1 : 0
    else if (mark === '[' || mark === '{') deepest = Math.max(deepest, ++levels)
    else if (mark === ']' || mark === '}') levels -= 1
  }
  return deepest
}

/**
 * Makes the ids of tool calls unique within an answer: some providers restart their ids in every step, and some give two calls of one step the
 * same id. A provider's id is kept if no earlier call has it.
 */
export class ToolCallIds {
  readonly #taken = new Set<string>()
  /** Our id of the newest call, by the provider's id. */
  readonly #newest = new Map<string, string>()
  /** Our ids with complete input. The same provider's id then means a new call. */
  readonly #called = new Set<string>()

  /** Starts a call whose input follows. Returns its id. */
  begun(providerId: string): string {
    const id = this.#free(providerId)
    this.#taken.add(id)
    this.#newest.set(providerId, id)
    return id
  }

  /** The input of a call is complete. Providers may leave out its start. */
  called(providerId: string): string {
    const newest = this.#newest.get(providerId)
    const id = newest === undefined || this.#called.has(newest) ? this.begun(providerId) : newest
    this.#called.add(id)
    return id
  }

  /** True while the input of the newest call with this id is streaming. */
  isOpen(providerId: string): boolean {
    const newest = this.#newest.get(providerId)
    return newest !== undefined && !this.#called.has(newest)
  }

  /** The call that a result belongs to. */
  answered(providerId: string): string {
    return this.#newest.get(providerId) ?? providerId
  }

  /** Reserves an id of the continued answer. */
  take(id: string): void {
    this.#taken.add(id)
  }

  #free(providerId: string): string {
    let id = providerId
    // Only characters that providers accept in ids.
    for (let count = 2; this.#taken.has(id); count++) id = `${providerId}-${count}`
    return id
  }
}

/** The SDK types JSON of models and tools as unknown. */
export const asJson = (value: unknown): ReadonlyJSONValue =>
  value === undefined || isDeeperThan(maxJsonLevels, value) ? null : (value as ReadonlyJSONValue)
