/** Exports threads: loads all of their messages, then saves a file or prints. */
import { useEffect, useRef, useState } from 'react'
import type { ExportRequest } from '../../../lib/overlays.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { useMe } from '../../../sync/hooks.ts'
import { useLoadThreads } from '../../../sync/move-threads.ts'
import type { ThreadWithMessages } from '../../../sync/rows.ts'
import { toastWhile } from '../../../ui/toast-while.ts'
import { toast } from '../../../ui/toaster.tsx'
import './print.css'
import { createPortal } from 'react-dom'
import { filesOf } from '../../../../worker/contract/files/files.ts'
import { themeClasses } from '../../../../worker/contract/themes.ts'
import { textOf } from '../../../../worker/contract/threads/messages.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { formatDate } from '../../../lib/i18n/format-dates.ts'
import { SectionErrorBoundary } from '../../../ui/section-error-boundary.tsx'
import { AnswerParts } from '../message/answer-parts.tsx'
import { threadMarkdown } from '../message/copy-messages.ts'
import { MessageFiles } from '../message/message-files.tsx'
import { type ShownMessage, shownMessagesOf } from '../message/shown-messages.ts'
import { SourcesList } from '../message/sources-list.tsx'
import { t } from './texts/en.ts'

export function Exporting({ request, onClose }: { readonly request: ExportRequest; readonly onClose: () => void }) {
  const userId = useMe()?.user.id
  const loadThreads = useLoadThreads()
  const [printed, setPrinted] = useState<readonly ThreadWithMessages[] | null>(null)
  useEffect(() => {
    if (userId === undefined) return undefined
    let isCurrent = true
    const { threadIds, kind } = request
    toastWhile(t('exporting', { count: threadIds.length }), loadThreads(threadIds)).then(
      (threads) => {
        if (!isCurrent) return
        if (kind === 'print') {
          setPrinted(threads)
          return
        }
        const { text, type, name } = kind === 'json' ? jsonFile(threads, userId, serverNowMs()) : markdownFile(threads, publicUrls().apiUrl)
        saveFile(new Blob([text], { type }), name)
        onClose()
      },
      () => {
        if (!isCurrent) return
        toast('error', t('exportFailed'))
        onClose()
      },
    )
    return () => {
      isCurrent = false
    }
  }, [request, userId, loadThreads, onClose])
  return printed && <PrintDocument threads={printed} onPrinted={onClose} />
}

/* The files of an export: Markdown of the shown branch, or JSON of all branches in the form of "Download my data". */

type ThreadFile = { readonly name: string; readonly type: string; readonly text: string }

export const markdownFile = (threads: readonly ThreadWithMessages[], base: string): ThreadFile => ({
  name: `${nameOf(threads)}.md`,
  type: 'text/markdown',
  text: `${threads.map((thread) => threadMarkdown(thread.title, shownMessagesOf(thread), base)).join('\n\n---\n\n')}\n`,
})

/** `userId`: an import of the same user then keeps the ids. The reader of the import expects `product` first and `user` before `messages`. */
function jsonFile(threads: readonly ThreadWithMessages[], userId: string, nowMs: number): ThreadFile {
  const rows = threads.map(({ id, title, headId, effort, projectId, pinnedAt, archivedAt, createdAt, updatedAt }) => ({
    ...{ id, title, headId, effort, projectId, pinnedAt, archivedAt, createdAt, updatedAt },
  }))
  const messages = threads.flatMap((thread) =>
    thread.messages.map(({ id, threadId, parentId, createdAt, message }) => ({ id, threadId, parentId, createdAt, message })),
  )
  const file = { product: 'Parley', exportedAt: new Date(nowMs).toISOString(), user: [{ id: userId }], threads: rows, messages }
  return { name: `${nameOf(threads)}.json`, type: 'application/json', text: `${JSON.stringify(file, null, 1)}\n` }
}

/** Characters that no file system refuses. Marks belong to letters, for example in Hindi and Thai. */
function nameOf([first, ...others]: readonly ThreadWithMessages[]): string {
  const title = (others.length > 0 ? '' : (first?.title ?? ''))
    .replace(/[^\p{L}\p{M}\p{N} _-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return title.slice(0, 80).trim() || 'parley'
}

/* A document of whole threads for the browser's print dialog. On screen it is outside of the view; on paper it is all that is drawn. */

/** Chosen: formulas, code and diagrams load after the text. The document is complete when nothing has changed for this long. */
const settleMs = 500
const maxWaitMs = 15_000

type PrintDocumentProps = { readonly threads: readonly ThreadWithMessages[]; readonly onPrinted: () => void }

function PrintDocument({ threads, onPrinted }: PrintDocumentProps) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = ref.current
    if (!element) return undefined
    let isUnmounted = false
    const printing = new AbortController()
    const pageTitle = document.title
    // The browser proposes the title as the name of the PDF.
    document.title = threads[0]?.title || pageTitle
    void isDrawn(element).then(() => {
      if (isUnmounted) return
      // `print()` returns at once on phones. A use of the page after that replaces an `afterprint` that does not arrive.
      for (const type of ['afterprint', 'pointerdown', 'keydown']) window.addEventListener(type, onPrinted, { signal: printing.signal })
      window.print()
    })
    return () => {
      isUnmounted = true
      printing.abort()
      document.title = pageTitle
    }
  }, [threads, onPrinted])
  return createPortal(
    <div ref={ref} aria-hidden="true" inert className={`print-document bg-background text-foreground ${themeClasses('light', 'default')}`}>
      {threads.map((thread) => (
        <section key={thread.id} className="print-thread">
          <h1 dir="auto" className="text-2xl font-semibold text-balance">
            {thread.title || firstPaintText('newThread')}
          </h1>
          <p className="mt-1 text-muted-foreground">{formatDate(thread.createdAt, 'long')}</p>
          {shownMessagesOf(thread).map((shown) => (
            <SectionErrorBoundary key={shown.id} part="message">
              <PrintedMessage shown={shown} />
            </SectionErrorBoundary>
          ))}
        </section>
      ))}
    </div>,
    document.body,
  )
}

function PrintedMessage({ shown }: { readonly shown: ShownMessage }) {
  if (shown.kind === 'live') return null
  const isUser = shown.kind === 'user'
  const files = isUser ? filesOf(shown.message) : []
  return (
    <article className="mt-6">
      <h2 className="print-author text-sm font-semibold text-muted-foreground">{isUser ? t('you') : shown.message.metadata.modelName}</h2>
      {files.length > 0 && <MessageFiles files={files} />}
      <div className="mt-1 flex flex-col gap-3">
        {isUser ? (
          <p dir="auto" className="text-base leading-6 whitespace-pre-wrap wrap-anywhere">
            {textOf(shown.message)}
          </p>
        ) : (
          <AnswerParts messageId={shown.id} parts={shown.message.parts} isGrowing={false} />
        )}
      </div>
      {!isUser && <SourcesList parts={shown.message.parts} />}
    </article>
  )
}

/** Resolves when the document has not changed for `settleMs`, and its images and fonts are there. */
async function isDrawn(element: HTMLElement): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let timer = setTimeout(resolve, settleMs)
  const observer = new MutationObserver(() => {
    clearTimeout(timer)
    timer = setTimeout(resolve, settleMs)
  })
  observer.observe(element, { childList: true, subtree: true, characterData: true, attributes: true })
  const limit = new Promise<void>((end) => setTimeout(end, maxWaitMs))
  await Promise.race([promise, limit])
  observer.disconnect()
  const images = [...element.querySelectorAll('img')].map((image) => {
    image.loading = 'eager'
    return image.decode().catch(() => undefined)
  })
  await Promise.race([Promise.all([document.fonts.ready, ...images]), limit])
}
