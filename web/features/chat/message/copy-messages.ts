/** Copies an answer or a whole branch to the clipboard, and shows the result. */
import { copyText } from '../../../lib/clipboard.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { useWholeThread } from '../../../sync/loaded-messages.ts'
import type { ThreadWithMessages } from '../../../sync/rows.ts'
import { toast } from '../../../ui/toaster.tsx'
import { copiedText, messagesUntil, threadMarkdown } from './copied-text.ts'
import { isWholePath, type StoredAnswer, shownMessagesOf } from './shown-messages.ts'
import { t } from './texts/en.ts'

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
 * menu of that message then shows a check.
 */
export function useCopyThread(): (thread: ThreadWithMessages, lastId?: string) => Promise<boolean> {
  const wholeThread = useWholeThread()
  return async (thread, lastId) => {
    const markdown = wholeThread(thread, isWholePath(thread)).then((whole) => {
      const shownMessages = shownMessagesOf(whole)
      return threadMarkdown(thread.title, lastId === undefined ? shownMessages : messagesUntil(shownMessages, lastId), publicUrls().apiUrl)
    })
    const isCopied = await copyText(markdown)
    if (!isCopied || lastId === undefined) reportCopy(isCopied)
    return isCopied
  }
}
