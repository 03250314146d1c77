/** What goes to the clipboard, of one message or of the whole conversation. Pure. */
import { filesOf } from '../../../worker/contract/files.ts'
import { type ChatMessage, textOf } from '../../../worker/contract/messages.ts'
import { planOf, planText } from '../../../worker/contract/research.ts'
import type { MadeFile } from './made-file.ts'
import { segmentsOf } from './segments.ts'
import type { Turn } from './turns.ts'

type AnswerTurn = Extract<Turn, { kind: 'answer' }>

/**
 * A plan has no text of its own. What a model made stands between its words by its name, with its address under `base` where it has one; what
 * a person attached is named before theirs.
 */
export function copiedText(message: ChatMessage, base: string): string {
  if (message.role === 'user') return [...filesOf(message).map(({ name }) => `[${name}]`), textOf(message)].filter(Boolean).join('\n')
  const said = segmentsOf(message.parts).flatMap((segment) => {
    if (segment.kind === 'text') return [segment.text]
    return segment.kind === 'files' ? segment.files.map((file) => named(file, base)) : []
  })
  const plan = planOf(message.parts)
  return said.length === 0 && plan ? planText(plan) : said.join('\n\n')
}

/** As Markdown. What stands in the answer itself has no address, only its bytes. */
function named(file: MadeFile, base: string): string {
  const address = 'url' in file && !/^data:/i.test(file.url) ? `(${new URL(file.url, base).href})` : ''
  return `${file.kind === 'picture' && address ? '!' : ''}[${file.name}]${address}`
}

export const lastAnswer = (turns: readonly Turn[]): AnswerTurn | undefined => turns.findLast((turn) => turn.kind === 'answer')

/** Those of the branch on show that come before one of them, and that one. */
export const turnsUntil = (turns: readonly Turn[], id: string): readonly Turn[] =>
  turns.slice(0, turns.findIndex((turn) => turn.id === id) + 1)

/** The branch on show, who said what, with its title. What is still being written is not in it. */
export function threadMarkdown(title: string | null | undefined, turns: readonly Turn[], base: string): string {
  const said = turns.flatMap((turn) => {
    if (turn.kind === 'live') return []
    const text = copiedText(turn.message, base)
    return text === '' ? [] : [`**${turn.kind === 'user' ? 'You' : turn.message.metadata.modelName}**\n\n${text}`]
  })
  return [...(title ? [`# ${title}`] : []), ...said].join('\n\n')
}
