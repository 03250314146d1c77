/** The shape of the page while session and rows load. Not a `main`, which would end the first paint. */

import { productName } from '../../lib/page-head.ts'
import { Delayed, Skeleton } from '../../ui/skeleton.tsx'
import { useSidebar } from './sidebar-state.ts'
import { t } from './texts/en.ts'

export function PageSkeleton() {
  const { isWide, isOpen } = useSidebar()
  return (
    <div className="flex h-dvh">
      <h1 className="sr-only">{productName}</h1>
      <Delayed label={t('opening')}>
        {isWide && isOpen && (
          <div className="flex w-(--width-sidebar) shrink-0 flex-col gap-4 border-r bg-surface p-4">
            <Skeleton className="h-5 w-24" />
            <Skeleton className="h-9" />
            <Skeleton className="mt-4 h-3 w-14" />
            <Skeleton className="h-4 w-4/5" />
            <Skeleton className="h-4 w-3/5" />
            <Skeleton className="h-4 w-2/3" />
            <Skeleton className="mt-auto h-11" />
          </div>
        )}
        <div className="mx-auto flex w-full max-w-reading flex-col justify-end px-4 pb-6">
          <Skeleton className="h-28 rounded-2xl" />
        </div>
      </Delayed>
    </div>
  )
}
