/** What goes to the clipboard, of one message or of the whole conversation. Pure. */
import { type ChatMessage, textOf } from '../../../worker/contract/messages.ts'
import { planOf, planText } from '../../../worker/contract/research.ts'
import { segmentsOf } from './segments.ts'
import type { Turn } from './turns.ts'

type AnswerTurn = Extract<Turn, { kind: 'answer' }>

/** A plan has no text of its own, and neither has an answer that is pictures alone: those are named. */
export function copiedText(message: ChatMessage): string {
  const plan = planOf(message.parts)
  return textOf(message) || (plan ? planText(plan) : madeFilesText(message))
}

function madeFilesText({ role, parts }: ChatMessage): string {
  if (role === 'user') return ''
  return segmentsOf(parts)
    .flatMap((segment) => (segment.kind === 'files' ? segment.files.map(({ name }) => `[${name}]`) : []))
    .join('\n')
}

export const lastAnswer = (turns: readonly Turn[]): AnswerTurn | undefined => turns.findLast((turn) => turn.kind === 'answer')

/** The branch on show, who said what, with its title. What is still being written is not in it. */
export function threadMarkdown(title: string | null | undefined, turns: readonly Turn[]): string {
  const said = turns.flatMap((turn) => {
    if (turn.kind === 'live') return []
    const text = copiedText(turn.message)
    return text === '' ? [] : [`**${turn.kind === 'user' ? 'You' : turn.message.metadata.modelName}**\n\n${text}`]
  })
  return [...(title ? [`# ${title}`] : []), ...said].join('\n\n')
}
