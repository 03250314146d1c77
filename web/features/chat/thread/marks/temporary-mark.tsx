/** Marks an open temporary chat, and deletes it when the user leaves it. */
import { Link, useRouter } from '@tanstack/react-router'
import { MessageCircleDashed, X } from 'lucide-react'
import { useEffect } from 'react'
import { useActions } from '../../../../sync/actions.ts'
import { tooltip } from '../../../../ui/tooltip.tsx'
import { t } from './texts/t.ts'

export function TemporaryMark({ threadId }: { readonly threadId: string }) {
  useDeleteOnLeave(threadId)
  return (
    <div className="flex h-7 shrink-0 items-center gap-1.5 rounded-full border border-dashed bg-background pr-1 pl-2.5 text-xs touch:h-9">
      <MessageCircleDashed aria-hidden="true" className="size-3.5 text-accent" />
      <span {...tooltip(t('temporaryHint'))}>{t('temporary')}</span>
      <Link
        to="/"
        aria-label={t('closeTemporary')}
        {...tooltip(t('closeTemporary'))}
        className="touch-target rounded-full p-1 text-muted-foreground hover:bg-foreground/8 hover:text-foreground"
      >
        <X aria-hidden="true" className="size-3" />
      </Link>
    </div>
  )
}

/** Pages from which the user returns to the thread. */
const keepsThread = /^\/(account|team)(\/|$)/

/** Deletes the thread after the next page has opened: before that, this page would open another thread in place of the missing one. */
function useDeleteOnLeave(threadId: string): void {
  const { remove } = useActions()
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ toLocation: { pathname } }) => {
        if (pathname === `/${threadId}` || keepsThread.test(pathname)) return
        const stop = router.subscribe('onResolved', ({ toLocation }) => {
          stop()
          // The user may be back already.
          if (toLocation.pathname !== `/${threadId}`) remove([threadId])
        })
      }),
    [router, threadId, remove],
  )
}
