/**
 * Counts what makes one paragraph expensive. The parser compares marks with each other, and moves every later event when it joins two
 * pieces of text. For each word after an open bracket, it searches back to that bracket.
 */

/** Chosen: a tenth of a second of parsing, and more marks than a page of prose has letters. */
const maxMarks = 2000

/** Lines, backslashes and ampersands: each divides the text. Chosen: 0.4 seconds of parsing, and many times the lines of a paragraph. */
const maxPieces = 6000

/** Chosen: a tenth of a second of parsing, and many times what a label holds (CommonMark 0.31, section 4.7: 999 characters). */
const maxBracketedWords = 4000

const marks = /[\]*_~`<]/g
const dividers = /[\\&]/g
const escapes = /\\./g

/** Brackets, and the words that may be the name of an email address. */
const bracketsAndWords = /[[\]]|[\w+.-]+/g

/** Starts code, HTML or a formula, where a bracket closes nothing. */
const hidesBrackets = /[`<$]/

export class ParagraphWork {
  #marks = 0
  #pieces = 0
  #openBrackets = 0
  #bracketedWords = 0
  #mayHideBrackets = false

  get isTooMuch(): boolean {
    return this.#marks > maxMarks || this.#pieces > maxPieces || this.#bracketedWords > maxBracketedWords
  }

  /** Starts the next paragraph. */
  reset(): void {
    this.#marks = this.#pieces = this.#openBrackets = this.#bracketedWords = 0
    this.#mayHideBrackets = false
  }

  read(line: string): void {
    this.#marks += line.match(marks)?.length ?? 0
    this.#pieces += 1 + (line.match(dividers)?.length ?? 0)
    this.#mayHideBrackets ||= hidesBrackets.test(line)
    for (const [found] of line.replace(escapes, '').matchAll(bracketsAndWords)) {
      if (found === '[') this.#openBrackets += 1
      else if (found !== ']') this.#bracketedWords += this.#openBrackets > 0 ? 1 : 0
      else if (!this.#mayHideBrackets) this.#openBrackets = Math.max(0, this.#openBrackets - 1)
    }
  }
}
