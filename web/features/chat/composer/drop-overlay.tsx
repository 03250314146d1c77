import { FileUp } from 'lucide-react'
import { createPortal } from 'react-dom'
import { maxFilesPerMessage } from '../../../../worker/contract/limits.ts'
import { t } from './texts/en.ts'

/** Covers the thread while files are dragged over the page. */
export function DropOverlay() {
  return createPortal(
    <div className="pointer-events-none absolute inset-0 z-40 flex animate-appear items-center justify-center bg-background/85 p-4">
      {/* An opaque background, because text is below it. */}
      <div className="flex max-w-lg flex-col items-center gap-3 rounded-2xl border-2 border-dashed border-accent/70 bg-raised px-8 py-12 text-center text-pretty shadow-float sm:px-16">
        <FileUp className="size-7 text-accent" aria-hidden="true" />
        <p className="text-base font-medium">{t('dropHere')}</p>
        <p className="text-muted-foreground">{t('dropDescription', { max: maxFilesPerMessage })}</p>
      </div>
    </div>,
    document.querySelector('main') ?? document.body,
  )
}
