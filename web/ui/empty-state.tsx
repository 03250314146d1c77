import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { LoadingBlock } from './skeleton.tsx'

type EmptyStateProps = {
  readonly icon: LucideIcon
  readonly isLoading?: boolean
  readonly children: ReactNode
}

/** Shown in place of a list without items: a skeleton until the list is loaded, then an icon and a sentence. */
export function EmptyState({ icon: Icon, isLoading = false, children }: EmptyStateProps) {
  if (isLoading) return <LoadingBlock className="h-32" />
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-dashed px-6 py-10 text-center text-muted-foreground">
      <Icon aria-hidden="true" className="size-6" />
      <p className="max-w-sm text-pretty">{children}</p>
    </div>
  )
}
