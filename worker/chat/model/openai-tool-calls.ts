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
  /** Finds the end of the arguments. */
  readonly end: ObjectEnd
  /** The arguments are a whole object. */
  isComplete: boolean
  readonly extra: Map<string, unknown>
}

type Piece = Pick<Call, 'wireIndex' | 'id' | 'name' | 'input'> & { readonly extra: Fields }

export class StreamedCalls {
  readonly #calls: Call[] = []
  readonly #byId = new Map<string, Call>()
  readonly #byWireIndex = new Map<number, Call>()
  /** The calls before this index are written and complete. */
  #complete = 0

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
      const call = known ?? this.#begun(piece)
      call.id ??= piece.id
      call.name ??= piece.name
      call.input += piece.input
      if (call.end.isClosedBy(piece.input)) call.isComplete = parsedJson(call.input) !== undefined
      if (call.id !== null) this.#byId.set(call.id, call)
      for (const [name, value] of Object.entries(piece.extra)) if (!call.extra.has(name)) call.extra.set(name, value)
      if (call.isWritten) return piece.input === '' ? [] : [{ index: call.index, function: { arguments: piece.input } }]
      const isNext = this.#isNext(call)
      return call.name === null || !isNext ? [] : [written(call)]
    })
  }

  /** At the end of the answer. The packages refuse a call without a name. */
  unwritten(): readonly Fields[] {
    return this.#calls.filter(({ isWritten }) => !isWritten).map(written)
  }

  #begun({ wireIndex, id, name }: Piece): Call {
    const call: Call = {
      ...{ wireIndex, id, name, input: '', index: this.#calls.length },
      ...{ isWritten: false, isComplete: false, end: new ObjectEnd(), extra: new Map() },
    }
    this.#calls.push(call)
    if (wireIndex !== null) this.#byWireIndex.set(wireIndex, call)
    return call
  }

  #isNext({ index }: Call): boolean {
    for (let before = this.#calls[this.#complete]; before?.isWritten && before.isComplete; before = this.#calls[this.#complete])
      this.#complete += 1
    return index <= this.#complete
  }

  #callOf(piece: Piece): Call | undefined {
    const last = this.#calls.at(-1)
    const sameId = piece.id === null ? undefined : this.#byId.get(piece.id)
    if (piece.wireIndex === null) {
      if (sameId) return sameId
      return last && (piece.name === null || piece.name === last.name) && !beginsCall(piece, last) ? last : undefined
    }
    const sameIndex = this.#byWireIndex.get(piece.wireIndex)
    if (!sameIndex || sameIndex === sameId) return sameIndex
    return beginsCall(piece, sameIndex) ? undefined : sameIndex
  }
}

function written(call: Call): Fields {
  call.isWritten = true
  const { index, id, name, input, extra } = call
  return { ...Object.fromEntries(extra), index, ...(id === null ? {} : { id }), type: 'function', function: { name, arguments: input } }
}

/** A piece with another id or name and new arguments begins another call; with other arguments, it continues `call`. */
function beginsCall(piece: Piece, call: Call): boolean {
  const isOther = (piece.name !== null && call.name !== null) || (piece.id !== null && call.id !== null && piece.id !== call.id)
  if (!isOther || piece.name === null) return false
  return piece.name !== call.name || piece.input.trimStart().startsWith('{') || call.isComplete
}

/** Finds where the braces of an object close. Reads each character once, however many pieces arrive. */
class ObjectEnd {
  #levels = 0
  #isInText = false
  #isEscaped = false
  #isClosed = false

  /** True for the one piece that closes the object. */
  isClosedBy(piece: string): boolean {
    if (this.#isClosed) return false
    for (const char of piece) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (this.#isInText && char === '\\') this.#isEscaped = true
      else if (char === '"') this.#isInText = !this.#isInText
      else if (!this.#isInText && char === '{') this.#levels += 1
      else if (!this.#isInText && char === '}') this.#levels -= 1
    }
    this.#isClosed = this.#levels <= 0 && !this.#isInText && piece.trimEnd().endsWith('}')
    return this.#isClosed
  }
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
