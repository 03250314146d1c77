/** The rendered messages: measures their heights, and grows the margin around the view in which messages are rendered. */
import { type RefObject, useEffect, useMemo, useState } from 'react'
import type { ShownMessage } from '../message/shown-messages.ts'
import { messageHeights, overscanStepsPx, type Position, type Span, spanFor, viewOf } from './rendered-span.ts'

/** A reopened thread has the same heights, so a stored position stays valid. */
const measured = messageHeights()

const heightsOf = (shownMessages: readonly ShownMessage[]): readonly number[] => shownMessages.map(measured.heightPx)

/** The heights at the time of this render. The React Compiler caches plain function calls, so this is a hook. */
export const useHeights = (shownMessages: readonly ShownMessage[]): readonly number[] => heightsOf(shownMessages)

type MessageElements = RefObject<Map<string, HTMLElement>>

type MessageObserver = {
  readonly observer: ResizeObserver
  /** Ref callback for the element of the message with this id. */
  readonly messageRef: (id: string) => (element: HTMLElement | null) => (() => void) | undefined
}

/** Registers the elements of rendered messages. `onResize` runs before the paint; its argument is true if a message has a new height. */
export function useMessageObserver(elementsRef: MessageElements, onResize: (isNewHeight: boolean) => void): MessageObserver {
  const observer = useMemo(() => new ResizeObserver((entries) => onResize(storeHeights(entries))), [onResize])
  const messageRef = (id: string) => (element: HTMLElement | null) => {
    if (!element) return undefined
    elementsRef.current.set(id, element)
    observer.observe(element)
    return () => {
      elementsRef.current.delete(id)
      observer.unobserve(element)
    }
  }
  return { observer, messageRef }
}

function storeHeights(entries: readonly ResizeObserverEntry[]): boolean {
  let isNew = false
  for (const { target, borderBoxSize } of entries) {
    if (!(target instanceof HTMLElement) || !target.dataset.message) continue
    const { message: id, wide } = target.dataset
    const [box] = borderBoxSize
    if (box && measured.record(id, wide !== undefined ? null : box.inlineSize, box.blockSize)) isNew = true
  }
  return isNew
}

type Rendered = { readonly shownMessages: readonly ShownMessage[]; readonly span: Span; readonly overscanPx: number }

/** True if the rendered messages differ from those that the position needs. */
export function isSpanStale({ shownMessages, span, overscanPx }: Rendered, position: Position): boolean {
  const heights = heightsOf(shownMessages)
  const next = spanFor(heights, viewOf(position, heights, shownMessages), overscanPx)
  return next.first !== span.first || next.end !== span.end
}

/** Chosen: the pause between two steps in browsers without idle callbacks. */
const withoutIdleMs = 250

/** The distance beyond the view in which messages are rendered: small at first, larger with every idle callback. */
export function useOverscan(): number {
  const [step, setStep] = useState(0)
  const isLast = step === overscanStepsPx.length - 1
  useEffect(() => {
    if (isLast) return undefined
    const grow = () => setStep(step + 1)
    if (typeof requestIdleCallback !== 'function') {
      const timer = setTimeout(grow, withoutIdleMs)
      return () => clearTimeout(timer)
    }
    const handle = requestIdleCallback(grow, { timeout: withoutIdleMs * 4 })
    return () => cancelIdleCallback(handle)
  }, [step, isLast])
  return overscanStepsPx[step] ?? 0
}
