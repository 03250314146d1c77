/** The line above the first message that a long thread still sends, with the summary of those before. */
import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { roundedTokens } from '../composer/context-use.ts'
import type { ContextStart } from './context-start.ts'
import { t } from './texts/en.ts'

export function ContextMark({ start: { summary, isRunning } }: { readonly start: ContextStart }) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <div role="note" className="my-5 flex flex-col gap-3 text-xs text-muted-foreground">
      <div className="flex items-center gap-3 text-center text-balance before:h-px before:flex-1 before:bg-foreground/12 after:h-px after:flex-1 after:bg-foreground/12">
        {summary ? (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={id}
            className="flex h-7 max-w-[75%] touch-target items-center gap-1 rounded-md px-1.5 transition-colors hover:text-foreground"
            onClick={() => setOpen(!isOpen)}
          >
            <ChevronRight aria-hidden="true" className={cx('size-3.5 shrink-0 transition-transform', isOpen && 'rotate-90')} />
            {t('summarizedUpToHere')}
          </button>
        ) : (
          <span className="max-w-[75%]">{t(isRunning ? 'beingSummarized' : 'willBeSummarized')}</span>
        )}
      </div>
      {summary && isOpen && (
        <section id={id} aria-label={t('summary')} className="animate-appear rounded-xl bg-foreground/4 px-4 py-3">
          <p className="mb-2">{t('summaryDescription', { tokens: roundedTokens(summary.tokens) })}</p>
          <Markdown text={summary.text} isGrowing={false} className="md-quiet" />
        </section>
      )}
    </div>
  )
}
