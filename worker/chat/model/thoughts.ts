/**
 * Moves the thoughts in the text of an answer to the reasoning. Two kinds are known only at their end, after they were shown: a text whose closing
 * mark arrives without an opening one was thoughts, and thoughts whose closing mark never arrives were the answer. Their end then carries
 * `retypedMetadata`.
 */
import { isRecord } from '../../contract/is-record.ts'
import { cutAt } from '../../contract/text.ts'
import type { CallOptions, PartReader, ProviderModel, ProviderPart } from './types.ts'

/**
 * Models whose servers send thoughts in a field of their own. Any other model may use marks: most are open, and the template that a server
 * applies is not known.
 */
const unmarkedModels = /(?:^|[/.])(?:claude|gpt-\d|chatgpt|o\d+(?:-|$)|gemini|grok)/i

/** In the metadata of an end that carries the type that its block turned out to have. */
export const retypedMetadata = 'parleyRetyped'

/** `wasText`: the mark that the text begins with. */
export type Retyped = { readonly wasReasoning: true } | { readonly wasText: string }

export function retypedIn(metadata: unknown): Retyped | null {
  const retyped = isRecord(metadata) ? metadata[retypedMetadata] : null
  if (!isRecord(retyped)) return null
  if (typeof retyped.wasText === 'string') return { wasText: retyped.wasText }
  return retyped.wasReasoning === true ? { wasReasoning: true } : null
}

/** True for an answer that the model has completed with text. */
export const isCompleted = ({ finishReason }: Extract<ProviderPart, { readonly type: 'finish' }>): boolean =>
  finishReason.unified === 'stop' || finishReason.unified === 'other'

export const mayWriteMarks = (modelId: string): boolean => !unmarkedModels.test(modelId)

/** Thoughts without an end are no title. */
export function splitContent(modelId: string, content: readonly Content[]): Content[] {
  return mayWriteMarks(modelId) ? content.flatMap((part) => (part.type === 'text' ? splitText(modelId, part.text) : [part])) : [...content]
}

type Content = Awaited<ReturnType<ProviderModel['doGenerate']>>['content'][number]

function splitText(modelId: string, whole: string): Content[] {
  let reasoning = ''
  let text = ''
  const splitter = new ThoughtSplitter(modelId, (piece) => {
    if (piece.type === 'text') text += piece.delta
    if (piece.type === 'reasoning') reasoning += piece.delta
    if (piece.type === 'text-was-reasoning') [reasoning, text] = [text.trim(), '']
  })
  splitter.write(whole)
  splitter.end()
  return [...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]), { type: 'text', text }]
}

/** The splitter's pieces as blocks of the stream. */
export function thoughtReader(modelId: string, emit: (part: ProviderPart) => void): PartReader {
  /** The start of the model's open text block, which is sent before its first text. */
  let start: Extract<ProviderPart, { readonly type: 'text-start' }> | null = null
  let isTextOpen = false
  let isThinking = false
  let hasCalls = false
  let blocks = 0
  const textStart = () => start ?? { type: 'text-start', id: 'text' }
  const thoughtsId = () => `thoughts-${blocks}`
  const splitter = new ThoughtSplitter(modelId, (piece) => {
    switch (piece.type) {
      case 'text':
        if (!isTextOpen) emit(textStart())
        isTextOpen = true
        return emit({ type: 'text-delta', id: textStart().id, delta: piece.delta })
      case 'text-was-reasoning':
        isTextOpen = false
        return emit({ type: 'text-end', id: textStart().id, providerMetadata: { [retypedMetadata]: { wasReasoning: true } } })
      case 'reasoning':
        if (!isThinking) {
          blocks += 1
          emit({ type: 'reasoning-start', id: thoughtsId() })
        }
        isThinking = true
        return emit({ type: 'reasoning-delta', id: thoughtsId(), delta: piece.delta })
      case 'reasoning-end': {
        isThinking = false
        const { wasText } = piece
        return emit({
          type: 'reasoning-end',
          id: thoughtsId(),
          ...(wasText === undefined ? {} : { providerMetadata: { [retypedMetadata]: { wasText } } }),
        })
      }
    }
  })
  return {
    read(part) {
      switch (part.type) {
        case 'text-start':
          start = part
          return
        case 'text-delta':
          start ??= { type: 'text-start', id: part.id }
          splitter.write(part.delta)
          // Metadata of the provider, such as a signature, belongs to the text so far.
          if (part.providerMetadata && isTextOpen) emit({ ...part, delta: '' })
          return
        case 'text-end':
          // Thoughts stay open: whether they are the answer depends on the finish reason.
          if (!isThinking) splitter.end()
          if (isTextOpen) emit(part)
          isTextOpen = false
          start = null
          return
        case 'reasoning-delta':
          if (part.delta.trim() !== '') splitter.seeReasoning()
          return emit(part)
        case 'tool-input-start':
        case 'tool-call':
          hasCalls = true
          splitter.end()
          return emit(part)
        case 'finish':
          splitter.end(isCompleted(part) && !hasCalls)
          return emit(part)
        case 'error':
          splitter.end()
          return emit(part)
        default:
          return emit(part)
      }
    },
    end: () => splitter.end(),
  }
}

type Message = CallOptions['prompt'][number]

/** Earlier steps of an answer, as the SDK repeats them to the model. */
export function retypedMessage(message: Message): Message {
  if (message.role !== 'assistant') return message
  const content = message.content.map((part) => {
    if (part.type !== 'text' || !retypedIn(part.providerOptions)) return part
    return { type: 'reasoning' as const, text: part.text.trim() }
  })
  return { ...message, content }
}

/** In lower case, as they are compared. */
type Marks = { readonly opening: string; readonly closing: string }

const harmonyOpening = '<|channel|>analysis<|message|>'
const pairs: readonly Marks[] = [
  // DeepSeek, Qwen, GLM, MiniMax and most others
  { opening: '<think>', closing: '</think>' },
  { opening: '<thinking>', closing: '</thinking>' },
  { opening: '<thought>', closing: '</thought>' },
  // Seed-OSS
  { opening: '<seed:think>', closing: '</seed:think>' },
  // Kimi
  { opening: '◁think▷', closing: '◁/think▷' },
  // Magistral
  { opening: '[think]', closing: '[/think]' },
  // Command A
  { opening: '<|start_thinking|>', closing: '<|end_thinking|>' },
  // OpenThinker
  { opening: '<|begin_of_thought|>', closing: '<|end_of_thought|>' },
  // Gemma 4
  { opening: '<|channel>thought', closing: '<channel|>' },
  // gpt-oss: https://github.com/openai/harmony
  { opening: harmonyOpening, closing: '<|end|>' },
]
/** gpt-oss, from servers that leave out the marks but not the names of the channels. */
const bareHarmony: Marks = { opening: 'analysis', closing: 'assistantfinal' }
const bareModels = /gpt-oss/i

const openings = pairs.map(({ opening }) => opening)
/** Without an opening mark, `<|end|>` ends any message of gpt-oss. */
const closings = pairs.map(({ closing }) => closing).filter((closing) => closing !== '<|end|>')

/** Marks around the answer itself. They are left out at its start. */
const answerOpenings = [
  ...['<|start|>assistant', '<|channel|>final<|message|>', '<|channel|>commentary<|message|>'],
  ...['<|start_response|>', '<|begin_of_solution|>', '<|im_start|>assistant'],
]
/** Left out at the end of the answer. */
const answerEndings = [
  ...['<|end|>', '<|return|>', '<|end_response|>', '<|end_of_solution|>', '<|im_end|>', '<|eot_id|>', '<|eom_id|>'],
  ...['<|endoftext|>', '<|end_of_text|>', '<|end_of_turn|>', '<end_of_turn>', '<|end_of_turn_token|>', '<｜end▁of▁sentence｜>'],
]
const startMarks = [...openings, ...closings, ...answerOpenings]
const maxMarkChars = Math.max(...[...startMarks, ...answerEndings].map(({ length }) => length))

/**
 * Chosen: thoughts on an everyday question take fewer than 4,000 tokens. A longer text has been read as the answer for a minute, and moving it
 * away is worse than a mark in the text.
 */
export const maxUnopenedChars = 16 * 1024

/** Keeps the length, so that places in it are places in the text: `İ` has two letters in lower case. Marks have ASCII letters only. */
const lowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

type Piece =
  | { readonly type: 'text' | 'reasoning'; readonly delta: string }
  /** The text since its start was thoughts. */
  | { readonly type: 'text-was-reasoning' }
  /** `wasText`: the mark that the text begins with. */
  | { readonly type: 'reasoning-end'; readonly wasText?: string }

/**
 * Chosen: more white space and marks than models write in a row. Each step reads all that is held, so this limits the time of a step; more of it
 * is shown as it is.
 */
const maxHeldChars = 256

/**
 * Splits the text of one answer: finds the thoughts that servers of open models leave in the text of an answer. A mark counts only where the templates of these models write it:
 * at the start of an answer. Everywhere else, such as in a code block, it is text.
 */
export class ThoughtSplitter {
  readonly #emit: (piece: Piece) => void
  readonly #isBare: boolean
  #at: 'start' | 'thoughts' | 'text' = 'start'
  /** Not emitted: it may be a part of a mark, or white space before a mark. */
  #held = ''
  #marks: Marks | null = null
  /** The opening mark with the white space around it. */
  #opening = ''
  #hasThoughts = false
  /** After marks, white space before the answer is dropped. */
  #hasMarks = false
  /** False when the model sends its thoughts in a field of their own. */
  #mayOpen = true
  /** The text while a closing mark may still make it thoughts; null afterwards. */
  #unopened: string | null = ''
  #lastChar = ''

  constructor(modelId: string, emit: (piece: Piece) => void) {
    this.#emit = emit
    this.#isBare = bareModels.test(modelId)
  }

  write(delta: string): void {
    for (let rest = delta; rest !== ''; ) {
      const piece = cutAt(rest, maxHeldChars) || rest
      rest = rest.slice(piece.length)
      this.#held += piece
      while (this.#step()) {}
      if (this.#held.length > maxHeldChars) this.#release()
    }
  }

  /** The model has sent thoughts in a field of their own, so its text has none. */
  seeReasoning(): void {
    this.end()
    this.#mayOpen = false
  }

  /** The text ends here. Emits what is held. `isWhole`: the answer is complete, so thoughts without a closing mark are the answer. */
  end(isWhole = false): void {
    const held = this.#held
    this.#held = ''
    if (this.#at === 'thoughts') {
      this.#emitThoughts(isWhole ? held : held.trimEnd())
      this.#closeThoughts(isWhole ? this.#opening : undefined)
      this.#at = 'text'
    } else if (this.#at === 'text' || held.trim() !== '') {
      this.#emitText(withoutEndings(held, this.#lastChar))
    }
    this.#unopened = null
  }

  #release(): void {
    const held = this.#held
    this.#held = ''
    if (this.#at === 'thoughts') this.#emitThoughts(held)
    else this.#emitText(held)
  }

  /** True if more can be read from what is held. */
  #step(): boolean {
    if (this.#at === 'start') return this.#start()
    return this.#at === 'thoughts' ? this.#readThoughts() : this.#readText()
  }

  #start(): boolean {
    const text = this.#held.trimStart()
    if (text === '') return false
    const begin = lowerCase(text.slice(0, maxMarkChars))
    const isBare = this.#isBare && text.startsWith(bareHarmony.opening)
    const found = isBare ? bareHarmony.opening : startMarks.find((mark) => begin.startsWith(mark))
    const marks = isBare ? bareHarmony : pairs.find(({ opening }) => opening === found)
    if (found !== undefined && (!marks || this.#mayOpen)) {
      const end = this.#held.length - text.length + found.length
      this.#opening = this.#held.slice(0, end)
      this.#held = this.#held.slice(end)
      this.#hasMarks = true
      this.#unopened = null
      if (!marks) return true
      this.#marks = marks
      this.#hasThoughts = false
      this.#at = 'thoughts'
      return true
    }
    const mayBeMark = startMarks.some((mark) => mark.startsWith(begin)) || (this.#isBare && bareHarmony.opening.startsWith(text))
    if (found === undefined && mayBeMark) return false
    if (this.#hasMarks) this.#held = text
    this.#at = 'text'
    return true
  }

  #readThoughts(): boolean {
    const { opening, closing } = this.#marks ?? { opening: '', closing: '' }
    if (!this.#hasThoughts) {
      const text = this.#held.trimStart()
      this.#opening += this.#held.slice(0, this.#held.length - text.length)
      this.#held = text
    }
    const held = lowerCase(this.#held)
    // gpt-oss may leave out the end of a message.
    const nextMessages = opening === harmonyOpening ? [closing, '<|start|>', '<|channel|>'] : [closing]
    const ends = nextMessages.map((mark) => ({ mark, at: unquotedIndex(this.#lastChar, held, mark) })).filter(({ at }) => at !== -1)
    const end = ends.sort((a, b) => a.at - b.at)[0]
    if (end && end.at < held.length) {
      this.#emitThoughts(this.#held.slice(0, end.at).trimEnd())
      this.#closeThoughts()
      this.#held = this.#held.slice(end.mark === closing ? end.at + closing.length : end.at)
      this.#at = 'start'
      return true
    }
    const until = Math.min(...nextMessages.map((mark) => partialIndex(held, mark)))
    const shown = this.#held.slice(0, until).trimEnd()
    this.#emitThoughts(shown)
    this.#held = this.#held.slice(shown.length)
    return false
  }

  #readText(): boolean {
    const closing = this.#unopened === null ? null : this.#unopenedClosing(this.#unopened)
    if (closing) {
      const after = this.#held.slice(closing.end)
      this.#emitText(this.#held.slice(0, closing.start))
      this.#held = this.#held.slice(closing.start)
      // Thoughts without an answer are the answer.
      if (after.trim() === '') return false
      this.#emit({ type: 'text-was-reasoning' })
      this.#held = after
      this.#hasMarks = true
      this.#unopened = null
      this.#at = 'start'
      return true
    }
    const until = heldIndex(this.#held, this.#unopened === null ? answerEndings : [...answerEndings, ...closings])
    this.#emitText(this.#held.slice(0, until))
    this.#held = this.#held.slice(until)
    return false
  }

  /** The closing mark in what is held that ends thoughts without an opening mark. */
  #unopenedClosing(before: string): { readonly start: number; readonly end: number } | null {
    const held = lowerCase(this.#held)
    for (const { opening, closing } of pairs) {
      if (!closings.includes(closing)) continue
      for (let start = held.indexOf(closing); start !== -1; start = held.indexOf(closing, start + 1)) {
        const text = before + this.#held.slice(0, start)
        const end = start + closing.length
        if (text.length <= maxUnopenedChars && endsThoughts(text, held.slice(end)) && !lowerCase(text).includes(opening))
          return { start, end }
      }
    }
    return null
  }

  #emitThoughts(delta: string): void {
    if (delta === '') return
    this.#hasThoughts = true
    this.#lastChar = delta.slice(-1)
    this.#emit({ type: 'reasoning', delta })
  }

  #closeThoughts(wasText?: string): void {
    if (!this.#hasThoughts) return
    this.#hasThoughts = false
    this.#emit({ type: 'reasoning-end', ...(wasText === undefined ? {} : { wasText }) })
  }

  #emitText(delta: string): void {
    if (delta === '') return
    this.#at = 'text'
    this.#lastChar = delta.slice(-1)
    this.#emit({ type: 'text', delta })
    if (this.#unopened !== null) this.#unopened += delta
    if (this.#unopened !== null && this.#unopened.length > maxUnopenedChars) this.#unopened = null
  }
}

/** The first or the last line of a code block. */
export const fence = /^ {0,3}(?:```|~~~)/

/**
 * True at the start of a line, after a sentence, and before an empty line, outside of code: a text that mentions the mark has it elsewhere. Also true
 * if it depends on the rest of `after`.
 */
function endsThoughts(text: string, after: string): boolean {
  const isBeforeEmptyLine = /[^\s"'`“„«]$/.test(text) && (after.startsWith('\n\n') || '\n\n'.startsWith(after))
  if (!isBeforeEmptyLine && !/[\n.!?。！？…]$/.test(text)) return false
  const lines = text.split('\n')
  const line = lines.pop() ?? ''
  const fences = lines.filter((each) => fence.test(each))
  return fences.length % 2 === 0 && line.split('`').length % 2 === 1
}

/** Straight quotation marks are missing: thoughts may end with one, and the answer may begin with one. */
const quotes: ReadonlyMap<string, string> = new Map([
  ['`', '`'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
])

/** The place of the first mark that is not in quotes; the length of the text if that depends on the next character; else -1. */
function unquotedIndex(charBefore: string, text: string, mark: string): number {
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
    const closingQuote = quotes.get(text[at - 1] ?? charBefore)
    if (closingQuote === undefined) return at
    const next = text[at + mark.length]
    if (next === undefined) return text.length
    if (next !== closingQuote) return at
  }
  return -1
}

/** The place from which the text is the beginning of the mark, or the mark. */
function partialIndex(text: string, mark: string): number {
  for (let chars = Math.min(text.length, mark.length); chars > 0; chars--) {
    if (mark.startsWith(text.slice(-chars))) return text.length - chars
  }
  return text.length
}

/** The place from which the text consists of marks, the last perhaps incomplete. */
function heldIndex(text: string, marks: readonly string[]): number {
  if (!/[<◁[]/.test(text.slice(-maxMarkChars))) return text.length
  const lower = lowerCase(text)
  let at = Math.min(...marks.map((mark) => partialIndex(lower, mark)))
  for (;;) {
    const before = lower.slice(0, at).trimEnd()
    const mark = answerEndings.find((ending) => before.endsWith(ending))
    if (mark === undefined) return at
    at = before.length - mark.length
  }
}

/** Without the marks at the end of the answer. After a space or a quote, the text mentions the mark. */
function withoutEndings(text: string, charBefore: string): string {
  const at = heldIndex(text, answerEndings)
  const rest = lowerCase(text.slice(at))
  const isEnding = answerEndings.some((ending) => rest.startsWith(ending))
  return isEnding && !/[\s"'`]/.test((text[at - 1] ?? charBefore).replace('\n', '')) ? text.slice(0, at) : text
}
