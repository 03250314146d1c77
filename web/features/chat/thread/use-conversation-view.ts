/**
 * Scrolling of the conversation. After every height change (streaming text, an expanded disclosure, a font, a first measurement), before
 * the next paint, one of two invariants holds: if the view follows the end, the end keeps its position; otherwise the message at the top of
 * the view keeps its position. Expanding something keeps its position on screen: following stops if it grows beyond the view.
 */
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { createStore, type Store } from '../../../lib/store.ts'
import { useLatest } from '../../../lib/use-stable.ts'
import type { ShownMessage } from '../message/shown-messages.ts'
import { onTurnRequest } from '../stream/turn-requests.ts'
import { type ReadingPosition, readingPositionOf, storeReadingPosition } from './reading-positions.ts'
import { isSpanStale, type Position, type Span, spanFor, useHeights, useMessageObserver, useOverscan, viewOf } from './rendered-messages.ts'
import { type Follow, followAfter, isEnd, isTakenOver, type Metrics, metricsOf, onOpening, onUserScroll, wasMoved } from './user-scroll.ts'

type ConversationView = {
  readonly scrollerRef: RefObject<HTMLDivElement | null>
  readonly span: Span
  /** Ref callback for the element of the message with this id. */
  readonly messageRef: (id: string) => (element: HTMLElement | null) => (() => void) | undefined
  readonly onScroll: () => void
  /** The button that scrolls to the end subscribes to it, not the conversation: a scroll correction must not render the conversation. */
  readonly awayFromEnd: Store<boolean>
  readonly scrollToEnd: () => void
  /** Scrolls to the position and keeps it until the user scrolls or sends a message. */
  readonly scrollToTarget: (position: ReadingPosition) => void
}

/** Chosen: older messages load before a quick scroll reaches the first one. */
const loadAheadPx = 2500

/** Chosen: the distance from the end that shows the button to scroll there. */
const awayPx = 200

type Shown = {
  readonly threadId: string
  readonly entry: string | undefined
  readonly shownMessages: readonly ShownMessage[]
  /** True if all messages are loaded; before, the server may still send earlier messages. */
  readonly isComplete: boolean
  readonly loadOlder: (() => void) | undefined
}

export function useConversationView({ threadId, entry, shownMessages, isComplete, loadOlder }: Shown): ConversationView {
  const scrollerRef = useRef<HTMLDivElement>(null)
  const elements = useRef(new Map<string, HTMLElement>())
  const follow = useRef<Follow>({ isFollowing: true, topPx: 0 })
  const anchor = useRef<ReadingPosition | null>(null)
  /**
   * The stored position of this history entry, or the target of `scrollToTarget`, until the user scrolls or sends a message. It outlives the
   * arrival of its message: late content (the renderer, a font, a diagram) may leave too little height at first, and reaching the end for this
   * reason must not start following.
   */
  const [storedPosition] = useState(() => readingPositionOf(entry))
  const target = useRef(storedPosition)
  /** After all messages are loaded: the last message, and if the view was at its end. */
  const reachedTarget = useRef<{ readonly lastId: string; readonly isAtEnd: boolean } | null>(null)
  /** A disclosure was pressed and is not laid out yet. */
  const isOpening = useRef(false)
  /** Expanding stopped the following and the user has not scrolled since: collapsing resumes it. */
  const stoppedByExpanding = useRef(false)
  const [awayFromEnd] = useState(() => createStore(false))
  const [rendered, setRendered] = useState<Position>({
    target: storedPosition,
    topPx: null,
    heightPx: window.innerHeight,
    anchor: null,
  })
  const overscanPx = useOverscan()

  const heights = useHeights(shownMessages)
  const span = spanFor(heights, viewOf(rendered, heights, shownMessages), overscanPx)
  const latestRef = useLatest({ span, rendered, shownMessages, isComplete, loadOlder, overscanPx, entry })

  const currentPosition = (): Position => {
    const { isFollowing } = follow.current
    return {
      target: isFollowing ? target.current : null,
      topPx: isFollowing ? null : (scrollerRef.current?.scrollTop ?? 0),
      heightPx: scrollerRef.current?.clientHeight ?? window.innerHeight,
      anchor: anchor.current,
    }
  }

  /** Renders other messages if the current position needs them, or if the next render would select others for `rendered`. */
  const updateSpan = () => {
    const position = currentPosition()
    if ([position, latestRef.current.rendered].some((one) => isSpanStale(latestRef.current, one))) setRendered(position)
  }

  const rememberAnchor = () => {
    const top = scrollerRef.current?.getBoundingClientRect().top ?? 0
    anchor.current = null
    for (const { id } of latestRef.current.shownMessages.slice(latestRef.current.span.first, latestRef.current.span.end)) {
      const box = elements.current.get(id)?.getBoundingClientRect()
      if (!box || box.bottom <= top) continue
      anchor.current = { id, offsetPx: box.top - top }
      return
    }
  }

  const loadAhead = () => {
    const { shownMessages, loadOlder } = latestRef.current
    const isMissing = target.current !== null && shownMessages.every(({ id }) => id !== target.current?.id)
    if (isMissing || (scrollerRef.current?.scrollTop ?? loadAheadPx) < loadAheadPx) loadOlder?.()
  }

  /** Ends the programmatic position. At the end of the conversation, the view follows again. */
  const releaseTarget = (isAtEnd: boolean) => {
    target.current = null
    reachedTarget.current = null
    if (isAtEnd) follow.current = { isFollowing: true, topPx: scrollerRef.current?.scrollTop ?? 0 }
  }

  const showEdges = (scroller: HTMLElement) => {
    awayFromEnd.set(isAway(metricsOf(scroller)))
    // For the header, which the conversation scrolls under.
    scroller.toggleAttribute('data-scrolled', scroller.scrollTop > 0)
  }

  /** Corrects the scroll position after height changes. */
  const settle = () => {
    const scroller = scrollerRef.current
    if (!scroller) return
    const last = latestRef.current.isComplete ? latestRef.current.shownMessages.at(-1) : undefined
    if (target.current && follow.current.isFollowing && elements.current.has(target.current.id)) {
      anchor.current = target.current
      follow.current = { isFollowing: false, topPx: scroller.scrollTop }
    } else if (target.current && last && reachedTarget.current && reachedTarget.current.lastId !== last.id)
      releaseTarget(reachedTarget.current.isAtEnd)
    const before = follow.current
    const metrics = metricsOf(scroller)
    const moved = wasMoved(before, metrics)
    const after = moved ? followAfter(before, metrics) : before
    const isOpened = after.isFollowing && isOpening.current && target.current === null && !isEnd(metrics)
    const isClosed = stoppedByExpanding.current && !moved && isEnd(metrics)
    const isFollowing = (after.isFollowing && !isOpened) || isClosed
    stoppedByExpanding.current = isOpened || (stoppedByExpanding.current && !moved && !isFollowing)
    if (isTakenOver(before, metrics)) target.current = null
    if (isFollowing) scroller.scrollTop = scroller.scrollHeight
    // The anchor is relative to the previous view; while following, there is none.
    else if (anchor.current && !before.isFollowing) {
      const element = elements.current.get(anchor.current.id)
      const nowPx = element && element.getBoundingClientRect().top - scroller.getBoundingClientRect().top
      const grownPx = nowPx === undefined ? 0 : nowPx - anchor.current.offsetPx + (moved ? metrics.topPx - before.topPx : 0)
      if (Math.abs(grownPx) >= 1) scroller.scrollTop += grownPx
    }
    follow.current = { isFollowing, topPx: scroller.scrollTop }
    if (moved || isOpened) rememberAnchor()
    if (target.current && last && !isFollowing) {
      const isAtEnd = isEnd(metricsOf(scroller))
      reachedTarget.current = { lastId: last.id, isAtEnd }
      // A streaming answer collapses its reasoning and continues. After the target is reached, the view follows as usual.
      if (last.kind === 'live' && !isAtEnd) target.current = null
    }
    if (!target.current) storeReadingPosition(latestRef.current.entry, isFollowing ? null : anchor.current)
    showEdges(scroller)
  }

  const onResize = (isNewHeight: boolean) => {
    settle()
    if (isNewHeight) updateSpan()
  }
  const { observer, messageRef } = useMessageObserver(elements, onResize)

  const releaseByUser = useEffectEvent(() => {
    if (target.current && !follow.current.isFollowing && scrollerRef.current) releaseTarget(isEnd(metricsOf(scrollerRef.current)))
  })
  useEffect(() => {
    const scroller = scrollerRef.current
    if (!scroller) return undefined
    // The scroller's height changes with the composer and the keyboard.
    observer.observe(scroller)
    const stopUserScroll = onUserScroll(scroller, () => releaseByUser())
    const endOpening = onOpening(scroller, (isNow) => {
      isOpening.current = isNow
    })
    return () => {
      observer.disconnect()
      stopUserScroll()
      endOpening()
    }
  }, [observer])

  useLayoutEffect(settle)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `rendered` was current for the messages of an earlier render
  useLayoutEffect(() => {
    // The end needs no update: it is the same position for all messages.
    if (rendered.topPx !== null || rendered.target || !follow.current.isFollowing) updateSpan()
  }, [shownMessages])
  useEffect(loadAhead)

  const onScroll = () => {
    const scroller = scrollerRef.current
    if (!scroller) return
    const before = follow.current
    const metrics = metricsOf(scroller)
    const after = followAfter(before, metrics)
    if (isTakenOver(before, metrics)) target.current = null
    if (wasMoved(before, metrics)) stoppedByExpanding.current = false
    // Otherwise the scroll was programmatic, on the way to the target.
    if (!target.current || before.isFollowing) {
      follow.current = after
      rememberAnchor()
    }
    if (!target.current) storeReadingPosition(latestRef.current.entry, after.isFollowing ? null : anchor.current)
    showEdges(scroller)
    updateSpan()
    loadAhead()
  }

  const scrollToEnd = () => {
    follow.current = { isFollowing: true, topPx: scrollerRef.current?.scrollTop ?? 0 }
    target.current = null
    isOpening.current = false
    settle()
    updateSpan()
  }

  const scrollToTarget = (position: ReadingPosition) => {
    target.current = position
    reachedTarget.current = null
    follow.current = { isFollowing: true, topPx: scrollerRef.current?.scrollTop ?? 0 }
    storeReadingPosition(latestRef.current.entry, position)
    // `settle` scrolls after the render.
    setRendered(currentPosition())
  }

  const onRequest = useEffectEvent(scrollToEnd)
  useEffect(() => onTurnRequest(threadId, () => onRequest()), [threadId])

  return { scrollerRef, span, messageRef, onScroll, awayFromEnd, scrollToEnd, scrollToTarget }
}

const isAway = ({ topPx, heightPx, contentPx }: Metrics): boolean => contentPx - heightPx - topPx > awayPx
