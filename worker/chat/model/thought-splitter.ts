/**
 * Finds the thoughts that servers of open models leave in the text of an answer. A mark counts only where the templates of these models write it:
 * at the start of an answer. Everywhere else, such as in a code block, it is text.
 */

import { cutAt } from '../../contract/text-end.ts'
import {
  answerEndings,
  bareHarmony,
  bareModels,
  closings,
  harmonyOpening,
  type Marks,
  maxMarkChars,
  pairs,
  startMarks,
} from './thought-marks.ts'

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

/** Splits the text of one answer into thoughts and the answer itself. */
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

/**
 * True at the start of a line, after a sentence, and before an empty line, outside of code: a text that mentions the mark has it elsewhere. Also true
 * if it depends on the rest of `after`.
 */
function endsThoughts(text: string, after: string): boolean {
  const isBeforeEmptyLine = /[^\s"'`“„«]$/.test(text) && (after.startsWith('\n\n') || '\n\n'.startsWith(after))
  if (!isBeforeEmptyLine && !/[\n.!?。！？…]$/.test(text)) return false
  const lines = text.split('\n')
  const line = lines.pop() ?? ''
  const fences = lines.filter((each) => /^ {0,3}(?:```|~~~)/.test(each))
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
