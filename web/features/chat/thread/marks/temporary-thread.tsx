/** The temporary chat of this tab: stays open while the user visits settings or organizations, and is deleted when another page opens. */
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { mutators } from '../../../../../worker/contract/mutators.ts'
import { serverNowMs } from '../../../../lib/server-clock.ts'
import { createStore, useStore } from '../../../../lib/store.ts'
import { useAct } from '../../../../sync/act.ts'
import { useThread } from '../../../../sync/thread.ts'

/** Set while the thread is shown. */
export const temporaryThreadId = createStore<string | undefined>(undefined)

/** Pages from which the user returns to the thread. */
const keepsThread = /^\/(account|team)(\/|$)/

/** Renders nothing. */
export function TemporaryThread() {
  const threadId = useStore(temporaryThreadId)
  const router = useRouter()
  const act = useAct()
  // The server deletes a temporary thread that no connection has open.
  useThread(threadId)
  useEffect(() => {
    if (threadId === undefined) return undefined
    // Delete after the next page has opened. Otherwise the thread's page would replace the missing thread with another one.
    return router.subscribe('onResolved', ({ toLocation: { pathname } }) => {
      if (pathname === `/${threadId}` || keepsThread.test(pathname)) return
      temporaryThreadId.set(undefined)
      act(mutators.threads.delete({ threadIds: [threadId], at: serverNowMs() }))
    })
  }, [router, threadId, act])
  return null
}
