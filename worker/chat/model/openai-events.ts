/**
 * Reads the events of the OpenAI protocol as its servers send them, and writes them as the packages expect them. Servers differ from the
 * protocol in many fields; all of these differences are read here, so that every connection treats them alike. The rows are in
 * tests/support/peers/quirks.ts.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { isRecord } from '../../contract/is-record.ts'
import { parsedJson } from '../../contract/parsed-json.ts'
import type { NewEventReader } from './bounded-connection.ts'
import { cutOf, isFault, ModelStreamError, reportedIn, UnreadableModelError } from './errors.ts'

const doneMark = '[DONE]'

/** Ends at the first event that is an error or that cannot be read, and calls `onViolation` with the reason. */
export const openAIEvents: NewEventReader = (onViolation) => {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const answer = new StreamedAnswer()
  let written: string[] = []
  let violation: Error | null = null
  let isAtEnd = false
  const write = (read: () => Read) => {
    if (violation) return
    try {
      const { events, violation: found = null } = read()
      for (const each of events) written.push(`data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`)
      violation = found
    } catch (cause) {
      // Nested too deeply, or an object where a text belongs, such as `{"toString":1}`.
      violation = new UnreadableModelError('an event cannot be read', { cause })
    }
    if (violation) onViolation(violation)
  }
  const onEvent = (event: EventSourceMessage) => write(() => answer.read(event, isAtEnd))
  const parser = createParser({ onEvent })
  const feed = (text: string, emit: (bytes: Uint8Array) => void) => {
    parser.feed(text)
    if (isAtEnd) write(() => ({ events: answer.end() }))
    if (written.length > 0) emit(encoder.encode(written.join('')))
    written = []
  }
  return {
    read: (bytes, emit) => {
      feed(decoder.decode(bytes, { stream: true }), emit)
      return violation !== null
    },
    end: (emit, failure) => {
      if (violation || failure) return
      // Some servers leave out the empty line after the last event.
      isAtEnd = true
      feed(`${decoder.decode()}\n\n`, emit)
      if (!violation && answer.isUnknown) onViolation(new UnreadableModelError('no event of the answer is of a known type'))
    },
  }
}

/** What an event becomes. `violation`: the stream ends here. */
type Read = { readonly events: readonly (Fields | string)[]; readonly violation?: Error }

const nothing: Read = { events: [] }
const violated = (violation: Error, events: Read['events'] = []): Read => ({ events, violation })

class StreamedAnswer {
  readonly #calls = new StreamedCalls()
  #text = ''
  #texts = 0
  #hasFinish = false
  #isDone = false
  #hasKnown = false
  #hasUnknown = false

  /** True if nothing in the stream could be read. */
  get isUnknown(): boolean {
    return this.#hasUnknown && !this.#hasKnown
  }

  /** `isLast`: the connection has ended, perhaps within this event. */
  read({ event, data }: EventSourceMessage, isLast: boolean): Read {
    if (this.#isDone || data.trim() === '') return nothing
    if (data.trim() === doneMark) return this.#done()
    const value = parsedJson(data)
    if (value === undefined) return isLast ? nothing : violated(new UnreadableModelError('an event is no JSON'))
    if (!isRecord(value)) return violated(new UnreadableModelError('an event is no part of an answer'))
    const error = errorIn(value, event)
    const chunk = this.#chunk(value)
    if (error) return violated(error, chunk && !this.#hasFinish ? [chunk] : [])
    return chunk ? { events: [chunk] } : nothing
  }

  /** Some servers send this mark after a complete answer in place of a finish reason. */
  #done(): Read {
    this.#isDone = true
    if (this.isUnknown) return nothing
    const finish = this.#hasFinish ? [] : [chunkOf({}, this.#calls.isEmpty ? 'stop' : 'tool_calls')]
    return { events: [...this.#restOfCalls(), ...finish, doneMark] }
  }

  /** What remains of a complete answer whose stream ends without the mark. */
  end(): Read['events'] {
    return this.#hasFinish && !this.#isDone ? this.#restOfCalls() : []
  }

  #restOfCalls(): readonly Fields[] {
    return this.#calls.unwritten().map((call) => chunkOf({ tool_calls: [call] }, null))
  }

  /** Null for an event without a part of the answer. */
  #chunk(value: Fields): Fields | null {
    const { id, created, model } = value
    const choice = choiceIn(value)
    const usage = usageOf(value, choice)
    if (choice === null && usage === null && !Array.isArray(value.choices)) {
      this.#hasUnknown = true
      return null
    }
    this.#hasKnown = true
    const reason = reasonOf(choice?.finish_reason ?? choice?.finishReason, () => !this.#calls.isEmpty)
    const delta = choice ? this.#newIn(deltaOf(choice), reason !== null) : {}
    this.#hasFinish ||= reason !== null
    return {
      ...(typeof id === 'string' ? { id } : {}),
      ...(typeof created === 'number' ? { created } : {}),
      ...(typeof model === 'string' ? { model } : {}),
      ...chunkOf(delta, reason),
      ...(choice ? {} : { choices: [] }),
      ...(usage ? { usage } : {}),
    }
  }

  /** Leaves out repeated parts: some servers send the whole message again in the last event. */
  #newIn({ isMessage, text, reasoning, calls, others }: ChatDelta, isLast: boolean): Fields {
    const isRepeated =
      text !== '' && text === this.#text && (isMessage ? this.#texts > 0 : isLast && this.#texts > 1 && text.length >= minRepeatedChars)
    const isWholeAgain = isRepeated || (isMessage && isLast && !this.#calls.isEmpty)
    if (isWholeAgain) return {}
    if (text !== '') this.#texts += 1
    this.#text += text
    const named = this.#calls.read(calls)
    return {
      ...others,
      ...(text === '' ? {} : { content: text }),
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(named.length === 0 ? {} : { tool_calls: named }),
    }
  }
}

/** Chosen: a shorter last delta may say the same as the whole answer before it, such as `ha`. */
const minRepeatedChars = 16

const chunkOf = (delta: Fields, reason: string | null): Fields => ({ choices: [{ index: 0, delta, finish_reason: reason }] })

/**
 * The first choice. Servers of other protocols than OpenAI's chat send its fields in the event itself: Workers AI and the generate route of
 * Ollama in `response`, its chat route in `message`.
 */
function choiceIn(value: Fields): Fields | null {
  const { choices, response, message, tool_calls, done, done_reason } = value
  if (Array.isArray(choices)) return choices.filter(isRecord).sort((a, b) => Number(a.index ?? 0) - Number(b.index ?? 0))[0] ?? null
  if (isRecord(choices)) return choices
  const finish_reason = done === true ? (done_reason ?? 'stop') : value.finish_reason
  if (isRecord(message)) return { delta: message, finish_reason }
  const hasText = response !== undefined || Array.isArray(tool_calls)
  return hasText || finish_reason != null ? { delta: { content: response, tool_calls }, finish_reason } : null
}

/** Fields that name an error in an event without choices. */
const errorTexts = ['message', 'detail', 'msg', 'text']
const errorCodes = ['code', 'status', 'statusCode', 'status_code', 'error_code']

function errorIn(value: Fields, event: string | undefined): Error | null {
  const choice = choiceIn(value)
  const reported = reportedIn(value) ?? (choice && reportedIn(choice))
  if (reported) return reported
  const isNamed = errorTexts.some((name) => typeof value[name] === 'string') && errorCodes.some((name) => value[name] != null)
  return event === 'error' || (choice === null && isNamed) ? new ModelStreamError({ error: value }) : null
}

type Fields = Readonly<Record<string, unknown>>

type ChatDelta = {
  /** The server has sent a `message` in place of a `delta`. */
  readonly isMessage: boolean
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly unknown[]
  /** Fields that the packages may read, such as the signatures of Google. */
  readonly others: Fields
}

function deltaOf(choice: Fields): ChatDelta {
  const { message, text } = choice
  const delta = isRecord(choice.delta) ? choice.delta : { content: choice.delta }
  const fields = isRecord(message) && isEmpty(delta) ? message : delta
  const { role: _role, content, refusal, tool_calls, function_call, reasoning_content: _content, reasoning: _reasoning, ...others } = fields
  const parts = contentOf(content)
  const refused = typeof refusal === 'string' ? refusal : ''
  const calls = Array.isArray(tool_calls) ? tool_calls : [tool_calls, isRecord(function_call) ? { function: function_call } : null]
  return {
    isMessage: fields === message,
    // A legacy completion has its text in the choice.
    text: parts.text + refused || (fields === delta && typeof text === 'string' ? text : ''),
    reasoning: reasoningIn(fields) || parts.reasoning,
    calls: calls.filter(isRecord),
    others,
  }
}

const isEmpty = (delta: Fields): boolean =>
  Object.entries(delta).every(
    ([name, value]) => name === 'role' || value == null || value === '' || (Array.isArray(value) && !value.length),
  )

/** Text, a number, or a list of parts of text, thoughts and refusals (Mistral, Cohere). */
function contentOf(content: unknown): { readonly text: string; readonly reasoning: string } {
  if (typeof content === 'string') return { text: content, reasoning: '' }
  if (typeof content === 'number' || typeof content === 'boolean') return { text: String(content), reasoning: '' }
  const items = Array.isArray(content) ? content : [content]
  const isThought = (item: unknown) => isRecord(item) && ['thinking', 'reasoning'].includes(String(item.type))
  return {
    text: textIn(items.filter((item) => !isThought(item))),
    reasoning: textIn(items.filter(isThought)),
  }
}

/** The fields of a part that may have its text. */
const textFields = ['text', 'summary', 'content', 'thinking', 'refusal', 'value']
/** Chosen: Mistral nests two levels. */
const maxTextLevels = 4

function textIn(value: unknown, levels = maxTextLevels): string {
  if (typeof value === 'string') return value
  if (levels === 0) return ''
  if (Array.isArray(value)) return value.map((item) => textIn(item, levels - 1)).join('')
  if (!isRecord(value)) return ''
  return textFields.map((name) => textIn(value[name], levels - 1)).find((text) => text !== '') ?? ''
}

/** The same thoughts may be in several fields. */
const reasoningFields = ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking', 'reasoning_details', 'thinking_blocks']

const reasoningIn = (delta: Fields): string => reasoningFields.map((name) => textIn(delta[name])).find((text) => text !== '') ?? ''

/**
 * Null for none, which some servers send as a text. Any other word means that the model has ended its answer: servers name the mark, the
 * template or the protocol of another provider.
 */
function reasonOf(given: unknown, hasCalls: () => boolean): string | null {
  const reason = String((isRecord(given) ? given.type : given) ?? '').toLowerCase()
  if (['', 'null', 'none'].includes(reason)) return null
  if (isFault(reason)) return reason
  const cut = cutOf(reason)
  if (cut) return cut === 'model_length' ? 'length' : 'content_filter'
  return /^(?:tool|function)/.test(reason) || hasCalls() ? 'tool_calls' : 'stop'
}

const countNames = {
  prompt_tokens: ['prompt_tokens', 'input_tokens', 'prompt_eval_count'],
  completion_tokens: ['completion_tokens', 'output_tokens', 'eval_count'],
  total_tokens: ['total_tokens'],
} as const

/** The token counts: of the event, of its choice (Moonshot), of Groq, or as Ollama's own routes send them. */
function usageOf(value: Fields, choice: Fields | null): Fields | null {
  const groq = isRecord(value.x_groq) ? value.x_groq.usage : null
  const own = value.eval_count === undefined ? null : value
  const usage = [value.usage, choice?.usage, groq, own].find(isRecord)
  if (!usage) return null
  const counts = Object.entries(countNames).map(([name, names]) => [name, names.map((each) => countOf(usage[each])).find(isNumber)])
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage
  return {
    ...(usage === value ? {} : usage),
    ...Object.fromEntries(counts),
    prompt_tokens_details: detailsOf(prompt),
    completion_tokens_details: detailsOf(completion),
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

const countOf = (value: unknown): number | undefined => {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return isNumber(count) && Number.isFinite(count) ? count : undefined
}

const detailsOf = (details: unknown): Fields | undefined =>
  isRecord(details) ? Object.fromEntries(Object.entries(details).map(([name, value]) => [name, countOf(value)])) : undefined

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

/**
 * The tool calls of one stream. The protocol joins the pieces of a call by its index. Servers leave out the index, give all calls the same one,
 * or send a new id with each piece, so calls get indexes of our own.
 */
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
