/**
 * Reads the events of the OpenAI protocol as its servers send them, and writes them as the packages expect them. Servers differ from the
 * protocol in many fields; all of these differences are read here, so that every connection treats them alike. The rows are in
 * tests/support/peers/quirks.ts.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { isRecord } from '../../contract/is-record.ts'
import { parsedJson } from '../../contract/parsed-json.ts'
import { ModelStreamError, reportedIn, UnreadableModelError } from './errors.ts'
import { type ChatDelta, deltaOf, type Fields, reasonOf, usageOf } from './openai-fields.ts'
import { StreamedCalls } from './openai-tool-calls.ts'

const doneMark = '[DONE]'

/** Ends at the first event that is an error or that cannot be read, and calls `onViolation` with the reason. */
export function openAIEvents(onViolation: (error: Error) => void): TransformStream<Uint8Array, Uint8Array> {
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
  }
  const onEvent = (event: EventSourceMessage) => write(() => answer.read(event, isAtEnd))
  const parser = createParser({ onEvent })
  const feed = (text: string, controller: TransformStreamDefaultController<Uint8Array>) => {
    parser.feed(text)
    if (isAtEnd) write(() => ({ events: answer.end() }))
    if (written.length > 0) controller.enqueue(encoder.encode(written.join('')))
    written = []
    if (!violation) return
    onViolation(violation)
    controller.terminate()
  }
  return new TransformStream({
    transform: (bytes, controller) => feed(decoder.decode(bytes, { stream: true }), controller),
    flush(controller) {
      // Some servers leave out the empty line after the last event.
      isAtEnd = true
      feed(`${decoder.decode()}\n\n`, controller)
      if (!violation && answer.isUnknown) onViolation(new UnreadableModelError('no event of the answer is of a known type'))
    },
  })
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
