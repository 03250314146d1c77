/** The rendered messages: measures their heights, and grows the margin around the view in which messages are rendered. */
import { type RefObject, useEffect, useMemo, useState } from 'react'
import type { ShownMessage } from '../message/shown-messages.ts'
import type { ReadingPosition } from './reading-positions.ts'

/*
 * Selects the messages to render: those in the view and a margin. The others are empty space of their measured height, or of an estimate
 * before the first measurement.
 */

export type Span = {
  readonly first: number
  /** Exclusive. */
  readonly end: number
  readonly beforePx: number
  readonly afterPx: number
}

/**
 * Chosen: pixels rendered beyond each edge of the view. A thread opens with the first step; the others follow on idle callbacks, for quick
 * scrolling, selection and the browser's search.
 */
const overscanStepsPx = [700, 1700, 2700, 3700] as const

type View = { readonly topPx: number; readonly heightPx: number }

/** The position of the conversation when its rendered messages were last selected. */
export type Position = {
  /** The message to scroll to. */
  readonly target: ReadingPosition | null
  /** Null while the view follows the end. */
  readonly topPx: number | null
  readonly heightPx: number
  /** The message at the top of the view. */
  readonly anchor: ReadingPosition | null
}

export function spanFor(heightsPx: readonly number[], { topPx, heightPx }: View, overscanPx: number): Span {
  const from = topPx - overscanPx
  const to = topPx + heightPx + overscanPx
  let first = 0
  let beforePx = 0
  while (first < heightsPx.length - 1 && beforePx + (heightsPx[first] ?? 0) <= from) {
    beforePx += heightsPx[first] ?? 0
    first += 1
  }
  let end = first
  let atPx = beforePx
  while (end < heightsPx.length && atPx < to) {
    atPx += heightsPx[end] ?? 0
    end += 1
  }
  let afterPx = 0
  for (let index = end; index < heightsPx.length; index += 1) afterPx += heightsPx[index] ?? 0
  return { first, end, beforePx, afterPx }
}

/** The view at the end of the conversation, before any measurement. */
export const endOf = (heightsPx: readonly number[], heightPx: number): View => ({
  topPx: Math.max(0, heightsPx.reduce((sum, height) => sum + height, 0) - heightPx),
  heightPx,
})

/** Prefers a message with an offset to pixels: pixel positions are wrong until the rendered messages are measured. */
export function viewOf(
  { target, topPx, heightPx, anchor }: Position,
  heightsPx: readonly number[],
  shownMessages: readonly ShownMessage[],
): View {
  const targetTopPx = target && topAt(heightsPx, shownMessages, target)
  if (targetTopPx !== null) return { topPx: targetTopPx, heightPx }
  if (topPx === null) return endOf(heightsPx, heightPx)
  return { topPx: (anchor && topAt(heightsPx, shownMessages, anchor)) ?? topPx, heightPx }
}

/**
 * The top of the view with this message at this offset; null if the message is missing. The message is always rendered: if its height does not reach the
 * offset, because it has become shorter or is an estimate, the view starts at its end.
 */
function topAt(
  heightsPx: readonly number[],
  shownMessages: readonly Pick<ShownMessage, 'id'>[],
  { id, offsetPx }: ReadingPosition,
): number | null {
  const index = shownMessages.findIndex((shown) => shown.id === id)
  if (index < 0) return null
  const beforePx = heightsPx.slice(0, index).reduce((sum, height) => sum + height, 0)
  return Math.max(0, beforePx - Math.max(offsetPx, -(heightsPx[index] ?? 0)))
}

const lineChars = 88
const linePx = 28
const bubbleLineChars = 62
const bubbleLinePx = 24
/** The gap below a message and the padding of a bubble. */
const answerFramePx = 48
const bubbleFramePx = 40

/** Heights by message id, measured at one width: a message of another width is measured again when it renders. */
export function messageHeights() {
  const measured = new Map<string, number>()
  let atWidthPx = 0
  return {
    heightPx: (shown: ShownMessage): number => measured.get(shown.id) ?? estimatedHeightPx(shown),
    /** Returns true if the height is new. A hidden message has no width. `widthPx`: null for a comparison, which is wider than the column. */
    record: (id: string, widthPx: number | null, heightPx: number): boolean => {
      const isNewWidth = widthPx !== null && widthPx !== atWidthPx
      if (widthPx === 0 || (!isNewWidth && measured.get(id) === heightPx)) return false
      if (isNewWidth) {
        measured.clear()
        atWidthPx = widthPx
      }
      measured.set(id, heightPx)
      return true
    },
  }
}

/** An estimate until the height is measured. */
export function estimatedHeightPx(shown: ShownMessage): number {
  if (shown.kind === 'live') return answerFramePx + linePx
  const chars = shown.message.parts.reduce((sum, part) => sum + (part.type === 'text' && 'text' in part ? part.text.length : 0), 0)
  return shown.kind === 'user'
    ? bubbleFramePx + bubbleLinePx * Math.ceil(chars / bubbleLineChars)
    : answerFramePx + linePx * Math.ceil((chars * 1.25) / lineChars)
}

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
