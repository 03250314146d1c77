/** The clipboard text of one message or of the whole thread. No side effects. */
import { filesOf } from '../../../../worker/contract/files/files.ts'
import { planText, researchPlanOf } from '../../../../worker/contract/research/research.ts'
import { type ChatMessage, textOf } from '../../../../worker/contract/threads/messages.ts'
import type { MadeFile } from './made-file.ts'
import { segmentsOf } from './segments.ts'
import type { ShownMessage, StoredAnswer } from './shown-messages.ts'
import { t } from './texts/en.ts'

/**
 * A plan has no text. A generated file appears by name between the text parts, with its address under `base` if it has one; attached files
 * are listed before the text of the user.
 */
export function copiedText(message: ChatMessage, base: string): string {
  if (message.role === 'user') return [...filesOf(message).map(({ name }) => `[${name}]`), textOf(message)].filter(Boolean).join('\n')
  const texts = segmentsOf(message.parts).flatMap((segment) => {
    if (segment.kind === 'text') return [segment.text]
    return segment.kind === 'files' ? segment.files.map((file) => named(file, base)) : []
  })
  const plan = researchPlanOf(message.parts)
  return texts.length === 0 && plan ? planText(plan) : texts.join('\n\n')
}

/** As Markdown. An inline file has no address. */
function named(file: MadeFile, base: string): string {
  const address = 'url' in file && !/^data:/i.test(file.url) ? `(${new URL(file.url, base).href})` : ''
  return `${file.kind === 'picture' && address ? '!' : ''}[${file.name}]${address}`
}

export const lastAnswer = (shownMessages: readonly ShownMessage[]): StoredAnswer | undefined =>
  shownMessages.findLast((shown) => shown.kind === 'answer')

/** The messages of the shown branch up to and including `id`. */
export const messagesUntil = (shownMessages: readonly ShownMessage[], id: string): readonly ShownMessage[] =>
  shownMessages.slice(0, shownMessages.findIndex((shown) => shown.id === id) + 1)

/** The shown branch as Markdown with title and authors, without the streaming answer. */
export function threadMarkdown(title: string | null | undefined, shownMessages: readonly ShownMessage[], base: string): string {
  const texts = shownMessages.flatMap((shown) => {
    if (shown.kind === 'live') return []
    const text = copiedText(shown.message, base)
    return text === '' ? [] : [`**${shown.kind === 'user' ? t('you') : shown.message.metadata.modelName}**\n\n${text}`]
  })
  return [...(title ? [`# ${title}`] : []), ...texts].join('\n\n')
}
