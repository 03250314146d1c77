/** Leads to the message that somebody looked up, when it is in this thread, and says so to whoever does not see it. */
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { pathTo } from '../../../worker/contract/branches.ts'
import { foundMessage } from '../../stores/found-message.ts'
import type { Place } from '../../stores/places.ts'
import { useStored } from '../../stores/store.ts'
import type { MessageRow } from '../../sync/rows.ts'
import { toast } from '../../ui/toaster.tsx'
import { showFound } from './show-found.ts'
import type { Turn } from './turns.ts'

type FoundMessageProps = {
  readonly threadId: string
  readonly turns: readonly Turn[]
  /** On every branch. */
  readonly messages: readonly MessageRow[]
  readonly isComplete: boolean
  readonly scrollerRef: RefObject<HTMLElement | null>
  readonly leadTo: (place: Place) => void
  /** Shows the branch of this message; false when it may not be shown now, which has been said then. */
  readonly showBranch: (messageId: string) => Promise<boolean>
}

export function FoundMessage({ threadId, turns, messages, isComplete, scrollerRef, leadTo, showBranch }: FoundMessageProps) {
  const found = useStored(foundMessage, (any) => (any?.threadId === threadId ? any : null))
  const where = found && whereabouts(found.messageId, turns, messages, isComplete)
  // A layout effect: nothing is drawn of the thread's end before.
  useLayoutEffect(() => {
    const scroller = scrollerRef.current
    if (!found || where !== 'shown' || !scroller) return undefined
    return showFound({ ...found, scroller, leadTo, onEnd: () => foundMessage.set(null) })
  }, [found, where, scrollerRef, leadTo])
  const shown = useRef<typeof found>(null)
  useEffect(() => {
    if (!found) return
    if (where === 'shown') shown.current = found
    // It was on the page: whoever chooses another version of it, or deletes it, goes on.
    else if (shown.current === found) foundMessage.set(null)
    else if (where === 'gone') {
      toast('info', 'That message is not there any more')
      foundMessage.set(null)
    } else if (where === 'hidden')
      void showBranch(found.messageId).then((isShown) => {
        if (!isShown && foundMessage.get() === found) foundMessage.set(null)
      })
  }, [found, where, showBranch])
  return (
    <div role="status" className="sr-only">
      {where === 'shown' && 'Opened at the message that was found'}
    </div>
  )
}

/** `hidden`: on a branch that is not on show. `coming`: what there is may not all be here yet. */
export function whereabouts(
  messageId: string,
  turns: readonly Pick<Turn, 'id'>[],
  messages: readonly Pick<MessageRow, 'id' | 'parentId'>[],
  isComplete: boolean,
): 'shown' | 'hidden' | 'gone' | 'coming' {
  if (turns.some(({ id }) => id === messageId)) return 'shown'
  const [first] = pathTo(messages, messageId)
  // Deleted messages are not here: a path that does not reach the beginning goes through one.
  if (first && first.parentId == null) return 'hidden'
  return isComplete ? 'gone' : 'coming'
}
