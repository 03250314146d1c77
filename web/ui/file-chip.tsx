/** A file that is not a picture: its kind, its name, its size. */
import { File as FileIcon, FileText } from 'lucide-react'
import { cx } from '../lib/cx.ts'
import { t } from './texts/en.ts'

type FileChipProps = {
  readonly name: string
  /** 'PDF', 'Text'. */
  readonly kind: string
  /** Size or upload progress, shown after the kind. */
  readonly detail: string
  /** Replaces both with the failure. */
  readonly problem?: string | undefined
  /** Target of a press. Without it, the chip is not a link. */
  readonly href?: string
  /** A press downloads the file instead of opening it in the page. */
  readonly isSaved?: boolean
  readonly className?: string
}

export function FileChip({ name, kind, detail, problem, href, isSaved = false, className }: FileChipProps) {
  const inside = (
    <>
      <span className="flex size-9 shrink-0 items-center justify-center rounded-md bg-foreground/7 text-muted-foreground">
        {kind === 'PDF' ? <FileText className="size-4" aria-hidden="true" /> : <FileIcon className="size-4" aria-hidden="true" />}
      </span>
      <span className="min-w-0 text-left">
        <span className="block truncate text-sm font-medium" dir="auto">
          {name}
        </span>
        <span className={cx('block truncate text-xs', problem ? 'text-danger' : 'text-muted-foreground')}>
          {problem ?? `${kind} · ${detail}`}
        </span>
      </span>
    </>
  )
  const look = cx('flex w-56 max-w-full items-center gap-2.5 rounded-xl border bg-background p-2', className)
  if (!href) return <span className={look}>{inside}</span>
  return (
    <a
      href={href}
      {...(isSaved ? { download: name } : { target: '_blank', rel: 'noopener noreferrer' })}
      className={cx(look, 'relative transition-colors hover:bg-foreground/5')}
    >
      {/* Added to the visible text, so that voice control also matches the visible text alone. */}
      <span className="sr-only">{t(isSaved ? 'download' : 'open')} </span>
      {inside}
    </a>
  )
}
