/** Copies an answer or a whole branch to the clipboard, and shows the result. */
import { filesOf } from '../../../../worker/contract/files/files.ts'
import { planText } from '../../../../worker/contract/research/plan-state.ts'
import { researchPlanOf } from '../../../../worker/contract/research/research.ts'
import { type ChatMessage, textOf } from '../../../../worker/contract/threads/messages.ts'
import { copyText } from '../../../lib/clipboard.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { useWholeThread } from '../../../sync/loaded-messages.ts'
import type { ThreadWithMessages } from '../../../sync/rows.ts'
import { toast } from '../../../ui/toaster.tsx'
import type { MadeFile } from './made-files.tsx'
import { segmentsOf } from './segments.ts'
import { isWholePath, type ShownMessage, type StoredAnswer, shownMessagesOf } from './shown-messages.ts'
import { t } from './texts/en.ts'

/* The clipboard text of one message or of the whole thread. */

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

/** Presses the Copy button of the answer, which shows the result. Shows a toast while the button is not visible. */
export function copyAnswer({ id, message }: StoredAnswer): void {
  const button = document.getElementById(copyButtonId(id))
  const place = button?.getBoundingClientRect()
  const log = button?.closest('[role="log"]')?.getBoundingClientRect()
  const isInView = place && log && place.top >= log.top && place.bottom <= log.bottom
  if (isInView && button?.checkVisibility({ opacityProperty: true })) button.click()
  else void copyText(copiedText(message, publicUrls().apiUrl)).then(reportCopy)
}

export const copyButtonId = (messageId: string): string => `copy-${messageId}`

/** For copies without a visible button. */
const reportCopy = (isCopied: boolean) => (isCopied ? toast('success', t('copied')) : toast('error', t('copyDenied')))

/**
 * Copies the shown branch as Markdown, up to and including the message `lastId` if it is given. Resolves with true if the text was copied; the
 * menu of that message shows the result.
 */
export function useCopyThread(): (thread: ThreadWithMessages, lastId?: string) => Promise<boolean> {
  const wholeThread = useWholeThread()
  return async (thread, lastId) => {
    const markdown = wholeThread(thread, isWholePath(thread)).then((whole) => {
      const shownMessages = shownMessagesOf(whole)
      return threadMarkdown(thread.title, lastId === undefined ? shownMessages : messagesUntil(shownMessages, lastId), publicUrls().apiUrl)
    })
    const isCopied = await copyText(markdown)
    if (lastId === undefined) reportCopy(isCopied)
    return isCopied
  }
}
