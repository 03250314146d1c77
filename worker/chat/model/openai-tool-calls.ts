/**
 * The tool calls of one stream. The protocol joins the pieces of a call by its index. Servers leave out the index, give all calls the same one,
 * or send a new id with each piece, so calls get indexes of our own.
 */
import { isRecord } from '../../contract/is-record.ts'
import { parsedJson } from '../../contract/parsed-json.ts'
import type { Fields } from './openai-fields.ts'

type Call = {
  readonly index: number
  readonly wireIndex: number | null
  id: string | null
  name: string | null
  /** All arguments so far. */
  input: string
  isWritten: boolean
  /** The length of the arguments when they were last found incomplete; null once they are complete. */
  incompleteChars: number | null
  extra: Fields
}

type Piece = Omit<Call, 'index' | 'isWritten' | 'incompleteChars'>

export class StreamedCalls {
  readonly #calls: Call[] = []

  get isEmpty(): boolean {
    return this.#calls.length === 0
  }

  /**
   * The pieces as the packages read them. A call is written from the piece on that names its tool, and after the calls before it: the package of
   * Workers AI ends a call where the next one begins.
   */
  read(pieces: readonly unknown[]): readonly Fields[] {
    return pieces.filter(isRecord).flatMap((fields) => {
      const piece = pieceOf(fields)
      // The end of a call of Workers AI.
      if (piece.id === null && piece.name === null && piece.input === '') return []
      const known = this.#callOf(piece)
      const call: Call = known ?? { ...piece, index: this.#calls.length, isWritten: false, incompleteChars: 0 }
      if (known) {
        call.id ??= piece.id
        call.name ??= piece.name
        call.input += piece.input
        call.extra = { ...piece.extra, ...call.extra }
      } else {
        this.#calls.push(call)
      }
      if (call.isWritten) return piece.input === '' ? [] : [{ index: call.index, function: { arguments: piece.input } }]
      const isNext = this.#calls.slice(0, call.index).every((before) => before.isWritten && isComplete(before))
      return call.name === null || !isNext ? [] : [written(call)]
    })
  }

  /** At the end of the answer. The packages refuse a call without a name. */
  unwritten(): readonly Fields[] {
    return this.#calls.filter(({ isWritten }) => !isWritten).map(written)
  }

  #callOf(piece: Piece): Call | undefined {
    const last = this.#calls.at(-1)
    const sameId = piece.id === null ? undefined : this.#calls.findLast(({ id }) => id === piece.id)
    if (piece.wireIndex === null) {
      if (sameId) return sameId
      return last && (piece.name === null || piece.name === last.name) && !beginsCall(piece, last) ? last : undefined
    }
    const sameIndex = this.#calls.findLast(({ wireIndex }) => wireIndex === piece.wireIndex)
    if (!sameIndex || sameIndex === sameId) return sameIndex
    return beginsCall(piece, sameIndex) ? undefined : sameIndex
  }
}

function written(call: Call): Fields {
  call.isWritten = true
  const { index, id, name, input, extra } = call
  return { ...extra, index, ...(id === null ? {} : { id }), type: 'function', function: { name, arguments: input } }
}

/** A piece with another id or name and new arguments begins another call; with other arguments, it continues `call`. */
function beginsCall(piece: Piece, call: Call): boolean {
  const isOther = (piece.name !== null && call.name !== null) || (piece.id !== null && call.id !== null && piece.id !== call.id)
  if (!isOther || piece.name === null) return false
  return piece.name !== call.name || piece.input.trimStart().startsWith('{') || isComplete(call)
}

function isComplete(call: Call): boolean {
  const { input, incompleteChars } = call
  if (incompleteChars === null) return true
  if (incompleteChars === input.length || !input.trimEnd().endsWith('}')) return false
  call.incompleteChars = parsedJson(input) === undefined ? input.length : null
  return call.incompleteChars === null
}

/** A call may have its name and arguments next to its id, as in the format of Workers AI. */
function pieceOf(fields: Fields): Piece {
  const { index, id, type: _type, function: nested, ...extra } = fields
  const { name, arguments: input, parameters, ...others } = isRecord(nested) ? nested : extra
  return {
    wireIndex: index == null || index === '' || !Number.isInteger(Number(index)) ? null : Number(index),
    id: textOf(id),
    // Templates of gpt-oss leak their marks into the name.
    name: textOf(typeof name === 'string' ? name.replace(/<\|.*$/s, '').trim() : null),
    input: inputOf(input ?? parameters),
    extra: isRecord(nested) ? extra : others,
  }
}

const textOf = (value: unknown): string | null => {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text : null
}

/** An empty object may precede pieces of text. The SDK reads no arguments as an empty object. */
function inputOf(input: unknown): string {
  if (typeof input === 'string') return input
  if (input == null || (isRecord(input) && Object.keys(input).length === 0)) return ''
  return JSON.stringify(input)
}
