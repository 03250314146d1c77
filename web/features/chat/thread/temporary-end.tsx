/** Deletes the temporary thread of this tab when another page opens. */
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { useAct } from '../../../sync/act.ts'
import { useThread } from '../../../sync/thread.ts'
import { temporaryThreadId } from './temporary-thread.tsx'

/** Pages from which the user returns to the thread. */
const keepsThread = /^\/(account|team)(\/|$)/

/** Draws nothing. */
export function TemporaryEnd({ threadId }: { readonly threadId: string }) {
  const router = useRouter()
  const act = useAct()
  // The server deletes a temporary thread that no connection has open.
  useThread(threadId)
  useEffect(() => {
    // Delete after the next page has opened. Otherwise the thread's page would replace the missing thread with another one.
    return router.subscribe('onResolved', ({ toLocation: { pathname } }) => {
      if (pathname === `/${threadId}` || keepsThread.test(pathname)) return
      temporaryThreadId.set(undefined)
      act(mutators.threads.delete({ threadIds: [threadId], at: serverNowMs() }))
    })
  }, [router, threadId, act])
  return null
}
