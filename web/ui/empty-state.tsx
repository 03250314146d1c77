import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../lib/cx.ts'
import { LoadingBlock } from './skeleton.tsx'

type EmptyStateProps = {
  readonly icon: LucideIcon
  readonly isLoading?: boolean
  readonly children: ReactNode
}

/** Shown in place of a list without items: an icon in the bubble of the mark and a sentence, or a skeleton of their size until the list is loaded. */
export function EmptyState({ icon: Icon, isLoading = false, children }: EmptyStateProps) {
  return (
    <div className="relative">
      {isLoading && <LoadingBlock className="absolute inset-0" />}
      <div
        className={cx(
          'flex flex-col items-center gap-3 rounded-lg border border-dashed px-6 py-10 text-center text-muted-foreground',
          isLoading && 'invisible',
        )}
      >
        <span className="relative rounded-xl rounded-bl-sm bg-muted p-3">
          <Icon aria-hidden="true" className="size-5" />
          <span className="absolute -right-1 -bottom-0.5 size-2 rounded-full bg-accent" />
        </span>
        <p className="max-w-sm text-balance">{children}</p>
      </div>
    </div>
  )
}
