/** The micromark tokenizers for inline and block formulas. math-rules.ts decides what a formula is. */
import type { Code, Construct, Effects, Extension, State, Tokenizer } from 'micromark-util-types'
import { isFormula, maxFormulaChars, type Opener } from '../streaming-markdown/math-rules.ts'
import { isWithinDollars } from './paragraph-dollars.ts'

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    mathText: 'mathText'
    mathFlow: 'mathFlow'
    mathData: 'mathData'
    mathTail: 'mathTail'
  }
}

const dollar = 36
const backslash = 92
const parenthesis = 40
const bracket = 91
const closingBracket = 93
const backtick = 96

/** Negative codes are line endings (-5 to -3), tabs and their virtual spaces. */
const isLineEnd = (code: Code): boolean => code === null || code < -2
const isSpace = (code: Code): boolean => code === 32 || code === -1 || code === -2
const characterOf = (code: Code): string => (isLineEnd(code) ? '\n' : isSpace(code) ? ' ' : String.fromCharCode(code as number))

/** The parser splits its input at line endings, so each line of a formula must be a token. */
function linesOf(effects: Effects) {
  let isInLine = false
  const end = () => {
    if (isInLine) effects.exit('mathData')
    isInLine = false
  }
  return {
    take: (code: Code) => {
      if (!isInLine) effects.enter('mathData')
      isInLine = true
      effects.consume(code)
    },
    end,
  }
}

const tokenizeText: Tokenizer = function (effects, ok, nok) {
  const { previous } = this
  const line = linesOf(effects)
  let opener: Opener = '$'
  let value = ''

  const start: State = (code) => {
    if (code === dollar && previous !== null && /[\w$]/.test(characterOf(previous))) return nok(code)
    effects.enter('mathText')
    line.take(code)
    return code === dollar ? afterDollar : afterBackslash
  }
  const afterDollar: State = (code) => {
    if (code !== dollar) return inside(code)
    opener = '$$'
    line.take(code)
    return (next) => (next === dollar ? nok(next) : inside(next))
  }
  const afterBackslash: State = (code) => {
    if (code !== parenthesis && code !== bracket) return nok(code)
    opener = code === parenthesis ? '\\(' : '\\['
    line.take(code)
    return inside
  }
  const inside: State = (code) => {
    if (code === null || value.length > maxFormulaChars || (opener === '$' && (isLineEnd(code) || code === backtick))) return nok(code)
    if (isLineEnd(code)) return lineEnd(code)
    line.take(code)
    if (code === backslash) return escaped
    if (code === dollar && opener === '$') return closed
    if (code === dollar && opener === '$$') return secondDollar
    value += characterOf(code)
    return inside
  }
  const lineEnd: State = (code) => {
    line.end()
    effects.enter('lineEnding')
    effects.consume(code)
    effects.exit('lineEnding')
    value += '\n'
    return inside
  }
  const secondDollar: State = (code) => {
    if (code !== dollar) {
      value += '$'
      return inside(code)
    }
    line.take(code)
    return closed
  }
  const escaped: State = (code) => {
    if (isLineEnd(code)) {
      value += '\\'
      return inside(code)
    }
    const pair = `\\${characterOf(code)}`
    // Another opener: this one was not a formula. Stopping here keeps the search linear.
    if (pair === opener) return nok(code)
    line.take(code)
    if ((opener === '\\(' && pair === '\\)') || (opener === '\\[' && pair === '\\]')) return closed
    value += pair
    return inside
  }
  const closed: State = (code) => {
    const isRun = code === dollar && opener.startsWith('$')
    if (isRun || !isFormula(opener, value, code === null ? '' : characterOf(code))) return nok(code)
    line.end()
    effects.exit('mathText')
    return ok(code)
  }
  return start
}

const text: Construct = { name: 'mathText', tokenize: tokenizeText }

const tokenizeFlow: Tokenizer = function (effects, ok, nok) {
  const line = linesOf(effects)
  let opensWithDollars = true
  let begun = this.now()

  const start: State = (code) => {
    begun = this.now()
    opensWithDollars = code === dollar
    effects.enter('mathFlow')
    line.take(code)
    return second
  }
  const second: State = (code) => {
    if (code !== (opensWithDollars ? dollar : bracket)) return nok(code)
    line.take(code)
    return afterOpener
  }
  const afterOpener: State = (code) => {
    if (isSpace(code)) {
      line.take(code)
      return afterOpener
    }
    if (!isLineEnd(code)) return nok(code)
    if (!this.interrupt) return inside(code)
    return opensWithDollars && isWithinDollars(this, begun) ? nok(code) : ok(code)
  }
  const inside: State = (code) => {
    if (code === null) return ended(code)
    if (isLineEnd(code)) {
      line.end()
      return effects.attempt(ownLine, inside, ended)(code)
    }
    line.take(code)
    if (code === backslash) return escaped
    return code === dollar && opensWithDollars ? secondDollar : inside
  }
  const escaped: State = (code) => {
    if (isLineEnd(code)) return inside(code)
    line.take(code)
    return code === closingBracket && !opensWithDollars ? closed : inside
  }
  const secondDollar: State = (code) => {
    if (code !== dollar) return inside(code)
    line.take(code)
    return closed
  }
  const ended: State = (code) => {
    line.end()
    effects.exit('mathFlow')
    return ok(code)
  }
  const closed: State = (code) => {
    if (isLineEnd(code)) return ended(code)
    line.end()
    effects.exit('mathFlow')
    return effects.attempt(tail, ok, ok)(code)
  }
  return start
}

const flow: Construct = { name: 'mathFlow', tokenize: tokenizeFlow, concrete: true }

/** Text after the end in its line. The paragraph ended with the formula, so the parser would not see it. */
const tail: Construct = {
  partial: true,
  tokenize(effects, ok) {
    const start: State = (code) => {
      if (!isSpace(code)) return paragraph(code)
      effects.enter('whitespace')
      return space(code)
    }
    const space: State = (code) => {
      if (isSpace(code)) {
        effects.consume(code)
        return space
      }
      effects.exit('whitespace')
      return paragraph(code)
    }
    const paragraph: State = (code) => {
      if (isLineEnd(code)) return ok(code)
      effects.enter('mathTail')
      effects.enter('chunkText', { contentType: 'text' })
      return words(code)
    }
    const words: State = (code) => {
      if (!isLineEnd(code)) {
        effects.consume(code)
        return words
      }
      effects.exit('chunkText')
      effects.exit('mathTail')
      return ok(code)
    }
    return start
  },
}

/** A line in the same quote or item as the previous one. */
const ownLine: Construct = {
  partial: true,
  tokenize(effects, ok, nok) {
    return (code) => {
      effects.enter('lineEnding')
      effects.consume(code)
      effects.exit('lineEnding')
      return (next) => (this.parser.lazy[this.now().line] ? nok(next) : ok(next))
    }
  },
}

const withBoth = (construct: Construct) => ({ [dollar]: construct, [backslash]: construct })

export const mathTokens: Extension = { text: withBoth(text), flow: withBoth(flow) }
