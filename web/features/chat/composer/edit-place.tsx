/**
 * Where a message is edited. In windows with room, the form of the composer is drawn instead of the message; the draft and everything else
 * of the composer stay the same. In small windows, and while the message is not rendered, the form stays below the conversation.
 */
import { type ReactNode, useCallback } from 'react'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { smallWindow, useMedia } from '../../../lib/viewport.ts'
import { editedPlace } from './edited-place.ts'

type EditPlaceProps = {
  readonly messageId: string
  /** The message, for small windows. */
  readonly children: ReactNode
}

export function EditPlace({ messageId, children }: EditPlaceProps) {
  const isSmall = useMedia(smallWindow)
  const place = useCallback(
    (element: HTMLElement | null) => {
      if (!element) return undefined
      editedPlace.set({ messageId, element })
      return () => {
        if (editedPlace.get()?.element === element) editedPlace.set(null)
      }
    },
    [messageId],
  )
  return isSmall ? children : <article ref={place} aria-label={firstPaintText('yourMessage')} className="pb-5" />
}
