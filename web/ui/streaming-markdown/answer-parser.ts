/** The parser of the app: the syntax of answers with tasks and footnotes. Addresses are checked when they are drawn. */
import Parser, { type Token } from 'markdown-it'
import { addAnswerSyntax, addTasks } from './answer-syntax.ts'
import { addFootnotes, type FootnoteEnv } from './footnote-syntax.ts'

/** Levels of quotes, lists and items. Chosen: deeper than a real answer. */
const maxNesting = 200

export const answerParser = new Parser()
addAnswerSyntax(answerParser, maxNesting)
addTasks(answerParser)
addFootnotes(answerParser)
answerParser.validateLink = () => true

const { Token: TokenClass } = new answerParser.core.State('', answerParser, {})

export const createToken = (type: string, tag: string, nesting: -1 | 0 | 1): Token => new TokenClass(type, tag, nesting)

type Reference = { readonly href: string; readonly title: string }

/** What a text defines: references by label, and footnotes. */
export type Definitions = FootnoteEnv & { readonly references: Record<string, Reference> }

export const noDefinitions = (): Definitions => ({ references: {}, footnotes: new Set() })
