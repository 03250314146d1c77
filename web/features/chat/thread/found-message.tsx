/** Scrolls to the message of a search result if it is in this thread, and announces it to screen readers. */
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import { pathTo } from '../../../../worker/contract/threads/branches.ts'
import { showMessageRequest } from '../../../lib/navigation.ts'
import { useStored } from '../../../lib/store.ts'
import type { MessageRow } from '../../../sync/rows.ts'
import { toast } from '../../../ui/toaster.tsx'
import type { ShownMessage } from '../message/shown-messages.ts'
import type { ReadingPosition } from './reading-positions.ts'
import { showFound } from './show-found.ts'
import { t } from './texts/en.ts'

type FoundMessageViewProps = {
  readonly threadId: string
  readonly shownMessages: readonly ShownMessage[]
  /** Includes all branches. */
  readonly messages: readonly MessageRow[]
  readonly isComplete: boolean
  readonly hasOlder: boolean
  readonly loadOlder: (() => void) | undefined
  readonly scrollerRef: RefObject<HTMLElement | null>
  readonly scrollToTarget: (position: ReadingPosition) => void
  /** Shows the branch of this message. Resolves with false after it reported that the branch cannot be shown now. */
  readonly showBranch: (messageId: string) => Promise<boolean>
}

export function FoundMessageView(props: FoundMessageViewProps) {
  const { threadId, shownMessages, messages, isComplete, hasOlder, loadOlder, scrollerRef, scrollToTarget, showBranch } = props
  const found = useStored(showMessageRequest, (request) => (request?.threadId === threadId ? request : null))
  const where = found && messageLocation(found.messageId, shownMessages, messages, { isComplete, hasOlder })
  const scroll = useEffectEvent(scrollToTarget)
  // A layout effect, so that the end of the thread does not flash first.
  useLayoutEffect(() => {
    const scroller = scrollerRef.current
    if (!found || where !== 'shown' || !scroller) return undefined
    return showFound({ ...found, scroller, scrollToTarget: (position) => scroll(position), onEnd: () => showMessageRequest.set(null) })
  }, [found, where, scrollerRef])
  const shown = useRef<typeof found>(null)
  useEffect(() => {
    if (!found) return
    if (where === 'shown') shown.current = found
    // The message left the page: the user chose another version or deleted it.
    else if (shown.current === found) showMessageRequest.set(null)
    else if (where === 'loading') loadOlder?.()
    else if (where === 'deleted') {
      toast('info', t('messageUnavailable'))
      showMessageRequest.set(null)
    } else if (where === 'hidden')
      void showBranch(found.messageId).then((isShown) => {
        if (!isShown && showMessageRequest.get() === found) showMessageRequest.set(null)
      })
  }, [found, where, loadOlder, showBranch])
  return (
    <div role="status" className="sr-only">
      {where === 'shown' && t('openedAtFound')}
    </div>
  )
}

/** `hidden`: on another branch. `loading`: the message may not be loaded yet. */
export function messageLocation(
  messageId: string,
  shownMessages: readonly Pick<ShownMessage, 'id'>[],
  messages: readonly Pick<MessageRow, 'id' | 'parentId'>[],
  { isComplete, hasOlder }: { readonly isComplete: boolean; readonly hasOlder: boolean },
): 'shown' | 'hidden' | 'deleted' | 'loading' {
  if (shownMessages.some(({ id }) => id === messageId)) return 'shown'
  const [first] = pathTo(messages, messageId)
  if (first && first.parentId == null) return 'hidden'
  if (!isComplete) return 'loading'
  // Deleted messages are absent. In a fully loaded thread, a path that does not reach the first message contains a deleted one. In a partly
  // loaded thread, the path can also be cut, and the server decides if its branch can be shown.
  if (hasOlder) return first ? 'hidden' : 'loading'
  return 'deleted'
}
