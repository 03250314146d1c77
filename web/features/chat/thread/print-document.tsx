/** A document of whole threads for the browser's print dialog. On screen it is outside of the view; on paper it is all that is drawn. */
import { useEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { filesOf } from '../../../../worker/contract/files/files.ts'
import { themeClasses } from '../../../../worker/contract/themes.ts'
import { textOf } from '../../../../worker/contract/threads/messages.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { formatDate } from '../../../lib/i18n/intl-format.ts'
import type { ThreadWithMessages } from '../../../sync/rows.ts'
import { SectionErrorBoundary } from '../../../ui/section-error-boundary.tsx'
import { AnswerParts } from '../message/answer-parts.tsx'
import { MessageFiles } from '../message/message-files.tsx'
import { type ShownMessage, shownMessagesOf } from '../message/shown-messages.ts'
import { SourcesList } from '../message/sources-list.tsx'
import './print.css'
import { t } from './texts/en.ts'

/** Chosen: formulas, code and diagrams load after the text. The document is complete when nothing has changed for this long. */
const settleMs = 500
const maxWaitMs = 15_000

type PrintDocumentProps = { readonly threads: readonly ThreadWithMessages[]; readonly onPrinted: () => void }

export function PrintDocument({ threads, onPrinted }: PrintDocumentProps) {
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
