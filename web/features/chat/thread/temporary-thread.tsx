/** The temporary thread of this tab: stays open while the user visits settings or organizations, and is deleted when another page opens. */
import { useNavigate, useRouter } from '@tanstack/react-router'
import { MessageCircleDashed } from 'lucide-react'
import { useEffect } from 'react'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { newDraftKey } from '../../../../worker/contract/threads/draft-key.ts'
import { cx } from '../../../lib/cx.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { pageShortcuts } from '../../../lib/shortcuts.ts'
import { createStore, useStore } from '../../../lib/store.ts'
import { useAct } from '../../../sync/act.ts'
import { useThread } from '../../../sync/thread.ts'
import { chordOf } from '../../../ui/kbd.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { draftOf, moveDraft } from '../composer/drafts.ts'
import { t } from './texts/en.ts'

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

/** On the page of a new thread: makes it a temporary thread, or a regular one again. The draft in the composer stays. */
export function TemporaryToggle({ isOn }: { readonly isOn: boolean }) {
  const navigate = useNavigate()
  const toggle = () => {
    const [from, to] = [newDraftKey(isOn), newDraftKey(!isOn)]
    // A running upload cannot move to another draft. `DraftSync` ends the draft on the server when the composer unmounts.
    if (draftOf(from).get().uploading.length === 0) moveDraft(from, to)
    void navigate({ to: '/', replace: true, search: isOn ? {} : { temporary: true } })
  }
  return (
    <button
      type="button"
      aria-pressed={isOn}
      {...tooltip(isOn ? undefined : t('temporaryDescription'), { keys: chordOf(pageShortcuts.temporary), describes: true })}
      className={cx(
        'flex h-9 items-center gap-2 rounded-lg px-2.5 text-sm touch-target transition-colors',
        isOn ? 'bg-foreground/9 text-foreground' : 'text-muted-foreground hover:bg-foreground/5 hover:text-foreground',
      )}
      onClick={toggle}
    >
      <MessageCircleDashed aria-hidden="true" className={cx('size-4', isOn && 'text-accent')} />
      {t('temporary')}
    </button>
  )
}
