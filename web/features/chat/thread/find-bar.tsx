/**
 * Finds a text in all messages of the shown branch, also in those that are not rendered or not loaded. Escape closes the bar, returns the
 * focus, and selects the current result, as the search of a browser does.
 */
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { maxFindChars } from '../../../../worker/contract/limits.ts'
import { occurrencesOf, shownText } from '../../../../worker/contract/threads/find-in-thread.ts'
import type { ChatMessage } from '../../../../worker/contract/threads/messages.ts'
import { currentFindMessageId, type FindRequest } from '../../../lib/navigation.ts'
import { findInThread } from '../../../lib/search-messages.ts'
import { isInputMethodKey } from '../../../lib/shortcuts.ts'
import { sleep } from '../../../lib/sleep.ts'
import { libText } from '../../../lib/texts/en.ts'
import { useLatest } from '../../../lib/use-stable.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { chordOf } from '../../../ui/kbd.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import type { ShownAnswer, ShownMessage } from '../message/shown-messages.ts'
import { highlight, rangesIn, revealSideways } from './found-message.tsx'
import { selectFound } from './open-find.ts'
import type { ReadingPosition } from './reading-positions.ts'
import { t } from './texts/en.ts'
import { onUserScroll } from './user-scroll.ts'
import './found.css'

type FindBarProps = {
  /** A new object asks for the focus again. */
  readonly request: FindRequest
  readonly threadId: string
  readonly shownMessages: readonly ShownMessage[]
  readonly compared: Compared
  readonly loadOlder: (() => void) | undefined
  readonly scrollerRef: RefObject<HTMLElement | null>
  readonly scrollToTarget: (position: ReadingPosition) => void
  readonly onClose: () => void
}

export function FindBar({ request, threadId, shownMessages, compared, loadOlder, scrollerRef, scrollToTarget, onClose }: FindBarProps) {
  const [query, setQuery] = useState(request.text)
  const [current, setCurrent] = useState<HitPlace | null>(null)
  const { hits, isLooking, failed } = useHits(threadId, query, shownMessages, compared)
  const count = countOf(hits)
  const position = positionOf(hits, current)
  const fieldRef = useRef<HTMLInputElement>(null)
  const currentRange = useRef<Range | null>(null)

  const [lastRequest, setLastRequest] = useState(request)
  if (request !== lastRequest) {
    setLastRequest(request)
    if (request.text !== '') setQuery(request.text)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per request
  useLayoutEffect(() => {
    if (request.text !== '') setCurrent(nearestIn(shownMessages, compared, request.text, scrollerRef.current))
    fieldRef.current?.focus({ preventScroll: true })
    fieldRef.current?.select()
  }, [request])
  const type = (text: string) => {
    setQuery(text)
    setCurrent(nearestIn(shownMessages, compared, text, scrollerRef.current))
  }
  // The only results are above, or the message of the current one changed.
  const isCurrentMissing = position < 0 && count > 0
  useEffect(() => {
    if (isCurrentMissing) setCurrent((current) => (positionOf(hits, current) < 0 ? placeAt(hits, count - 1) : current))
  }, [isCurrentMissing, hits, count])

  const isLoaded = current !== null && shownMessages.some(({ id }) => id === current.messageId)
  useEffect(() => {
    if (current && !isLoaded) loadOlder?.()
  }, [current, isLoaded, loadOlder])
  useEffect(() => {
    currentFindMessageId.set(current?.messageId ?? null)
    return () => currentFindMessageId.set(null)
  }, [current])
  const scroll = useEffectEvent(scrollToTarget)
  useLayoutEffect(() => {
    const scroller = scrollerRef.current
    if (!scroller || query.trim() === '') return undefined
    const onCurrent = (range: Range | null) => {
      currentRange.current = range
    }
    return showHits({ scroller, query, current: isLoaded ? current : null, scrollToTarget: (position) => scroll(position), onCurrent })
  }, [query, current, isLoaded, scrollerRef])

  const move = (step: 1 | -1) => {
    if (count > 0) setCurrent(placeAt(hits, (Math.max(position, 0) + step + count) % count))
  }
  const close = () => {
    const range = currentRange.current
    // While the bar is open, the controls of the header that it covers are hidden, and a hidden control takes no focus.
    flushSync(onClose)
    if (!(request.focused instanceof HTMLElement) || !request.focused.isConnected || request.focused === document.body)
      scrollerRef.current?.focus({ preventScroll: true })
    else request.focused.focus({ preventScroll: true })
    // A selection would take the focus from a text field.
    if (range && document.activeElement === scrollerRef.current) selectFound(range)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isInputMethodKey(event.nativeEvent)) return
    const step = steps[event.key]
    if (event.key === 'Escape') close()
    else if (event.target === fieldRef.current && event.key === 'Enter') move(event.shiftKey ? -1 : 1)
    else if (event.target === fieldRef.current && step) move(step)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const isEmpty = query.trim() === ''
  const isLoadingCurrent = current !== null && !isLoaded
  return (
    <search
      aria-label={t('findInThread')}
      onKeyDown={onKeyDown}
      // In the header of the thread: at its end, and over all of a narrow one.
      className="absolute inset-x-0 top-0 z-7 flex h-(--header-height) animate-appear items-center pt-[env(safe-area-inset-top)] max-lg:border-b max-lg:bg-background lg:left-auto lg:w-104 lg:pr-4"
    >
      <div className="flex min-w-0 flex-1 items-center gap-1 pr-1.5 pl-3 max-lg:pr-2.5 max-lg:pl-4 touch:gap-2 lg:rounded-lg lg:border lg:bg-raised">
        <input
          ref={fieldRef}
          data-find=""
          type="text"
          dir="auto"
          value={query}
          maxLength={maxFindChars}
          aria-label={t('findInThread')}
          placeholder={t('findInThread')}
          spellCheck={false}
          autoComplete="off"
          enterKeyHint="search"
          onChange={(event) => type(event.target.value)}
          className="h-8 min-w-0 flex-1 bg-transparent text-sm outline-none placeholder:text-muted-foreground touch:text-base"
        />
        {!isEmpty && (isLooking || isLoadingCurrent) && <Spinner label={t('searchingOlder')} className="text-muted-foreground" />}
        <span role="status" className="px-1 text-xs whitespace-nowrap text-muted-foreground tabular-nums">
          {!isEmpty && (count > 0 ? t('resultOf', { at: position + 1, count }) : !isLooking && t('noResults'))}
        </span>
        <IconButton size="sm" label={t('previousResult')} keys={chordOf({ key: 'Enter', shift: true })} onClick={() => move(-1)}>
          <ChevronUp />
        </IconButton>
        <IconButton size="sm" label={t('nextResult')} keys={chordOf({ key: 'Enter' })} onClick={() => move(1)}>
          <ChevronDown />
        </IconButton>
        <IconButton size="sm" label={libText('close')} keys={chordOf({ key: 'Escape' })} onClick={close}>
          <X />
        </IconButton>
      </div>
      {!isEmpty && failed && (
        <p
          role="status"
          className="absolute inset-x-0 top-full border-b bg-background px-3 py-1.5 text-xs text-muted-foreground text-pretty lg:right-4 lg:rounded-lg lg:border lg:bg-raised lg:shadow-float"
        >
          {t('olderNotSearched', { reason: failed })}
        </p>
      )}
    </search>
  )
}

const steps: { readonly [key: string]: 1 | -1 | undefined } = { ArrowDown: 1, ArrowUp: -1 }

/** The first result at or below the top of the view; otherwise the last one above. */
function nearestIn(
  shownMessages: readonly ShownMessage[],
  compared: Compared,
  query: string,
  scroller: HTMLElement | null,
): HitPlace | null {
  const hits = hitsIn(shownMessages, compared, query)
  const topPx = scroller?.getBoundingClientRect().top ?? 0
  const rendered = [...(scroller?.querySelectorAll<HTMLElement>('[data-message]') ?? [])]
  const firstId = rendered.find((element) => element.getBoundingClientRect().bottom > topPx)?.dataset.message
  const first = shownMessages.findIndex(({ id }) => id === firstId)
  const below = hits.find(({ messageId }) => shownMessages.findIndex(({ id }) => id === messageId) >= first)
  return below ? { messageId: below.messageId, nth: 0 } : placeAt(hits, countOf(hits) - 1)
}

/* The results of the find bar: messages of the shown branch with the text, first to last, and the number of results in each. */

type Hit = { readonly messageId: string; readonly count: number }

/** The answers in the place of the last message; null outside of a comparison. */
type Compared = readonly ShownAnswer[] | null

/** One result: the nth of its message, counted from 0. */
type HitPlace = { readonly messageId: string; readonly nth: number }

type Hits = {
  readonly hits: readonly Hit[]
  /** The server is still searching messages that this browser has not loaded. */
  readonly isLooking: boolean
  /** Why messages that this browser has not loaded were not searched. */
  readonly failed: string | null
}

/** Chosen: longer than between two keys of a typing user. */
const pauseMs = 150
/** Chosen: the server admits searches again after a few seconds. */
const retryMs = 2000

type ServerHits = { readonly query: string; readonly hits: readonly Hit[]; readonly isComplete: boolean; readonly failed: string | null }

function useHits(threadId: string, query: string, shownMessages: readonly ShownMessage[], compared: Compared): Hits {
  const here = hitsIn(shownMessages, compared, query)
  const above = useHitsAbove(threadId, query, shownMessages[0]?.parentId ?? null)
  const loaded = new Set(shownMessages.map(({ id }) => id))
  const hits = [...above.hits.filter(({ messageId }) => !loaded.has(messageId)), ...here]
  return { hits, isLooking: !above.isComplete, failed: above.failed }
}

/** Cached per message, because each key press searches all messages again. */
const shownTexts = new WeakMap<ChatMessage, string>()

function textShownBy(message: ChatMessage): string {
  const cached = shownTexts.get(message)
  if (cached !== undefined) return cached
  const text = shownText(message)
  shownTexts.set(message, text)
  return text
}

/** The results in the loaded messages. A streaming answer is searched when it is stored. Compared answers count as one message, as they are rendered. */
export const hitsIn = (shownMessages: readonly ShownMessage[], compared: Compared, query: string): readonly Hit[] => {
  const last = shownMessages.at(-1)
  const countIn = (shown: ShownMessage) => (shown.kind === 'live' ? 0 : occurrencesOf(query, textShownBy(shown.message)).length)
  return shownMessages.flatMap((shown) => {
    const messages = compared && shown === last ? compared : [shown]
    const count = messages.reduce((sum, each) => sum + countIn(each), 0)
    return count > 0 ? [{ messageId: shown.id, count }] : []
  })
}

const nothing = { hits: [], isComplete: true, failed: null } as const

/** Asks the server once per query, starting above the oldest loaded message. */
function useHitsAbove(threadId: string, query: string, parentId: string | null): Omit<ServerHits, 'query'> {
  const [answer, setAnswer] = useState<ServerHits | null>(null)
  const firstParentId = useLatest(parentId)
  const isWanted = query.trim() !== '' && (parentId !== null || answer?.query === query)
  useEffect(() => {
    if (!isWanted) return undefined
    const request = new AbortController()
    const timer = setTimeout(() => void searchUp(firstParentId.current), pauseMs)
    async function searchUp(from: string | null): Promise<void> {
      let hits: readonly Hit[] = []
      for (let next = from; next !== null; ) {
        const slice = await findInThread({ threadId, messageId: next, query }, request.signal)
        if (slice === null) return
        if ('failed' in slice && slice.code === 'rate_limited') {
          await sleep(retryMs, request.signal)
          continue
        }
        if ('failed' in slice) return setAnswer({ query, hits, isComplete: true, failed: slice.failed })
        hits = [...slice.found.toReversed(), ...hits]
        next = slice.next
        setAnswer({ query, hits, isComplete: next === null, failed: null })
      }
    }
    return () => {
      clearTimeout(timer)
      request.abort()
    }
  }, [threadId, query, isWanted, firstParentId])
  if (!isWanted) return nothing
  return answer?.query === query ? answer : { ...nothing, isComplete: false }
}

export const countOf = (hits: readonly Hit[]): number => hits.reduce((sum, { count }) => sum + count, 0)

/** The position of a result among all, from 0. -1 if the message has no longer so many. */
export function positionOf(hits: readonly Hit[], place: HitPlace | null): number {
  const index = hits.findIndex(({ messageId }) => messageId === place?.messageId)
  const hit = hits[index]
  return place && hit && place.nth < hit.count ? countOf(hits.slice(0, index)) + place.nth : -1
}

export function placeAt(hits: readonly Hit[], position: number): HitPlace | null {
  let left = position
  for (const { messageId, count } of hits) {
    if (left < count) return { messageId, nth: left }
    left -= count
  }
  return null
}

/*
 * Highlights the results of the find bar in the rendered messages, and scrolls to the current one. Content that renders later (the Markdown
 * renderer, a font) is searched again.
 */

type Shown = {
  readonly scroller: HTMLElement
  readonly query: string
  readonly current: HitPlace | null
  readonly scrollToTarget: (position: ReadingPosition) => void
  /** Receives the range of the current result, or null if it is not rendered. */
  readonly onCurrent: (range: Range | null) => void
}

/** Position of the current result as a share of the view height, if it is not in the view already. */
const targetTopShare = 0.3
/** Space at the edges of the view that the header and the composer's fade cover. */
const edgePx = 72

function showHits({ scroller, query, current, scrollToTarget, onCurrent }: Shown): () => void {
  let hasUserScrolled = false
  let lastOffsetPx: number | null = null
  let frame = 0

  const scrollToCurrent = (element: HTMLElement, range: Range | null) => {
    if (hasUserScrolled || !current) return
    const box = (range ?? element).getBoundingClientRect()
    const view = scroller.getBoundingClientRect()
    const isInView = box.top >= view.top + edgePx && box.bottom <= view.bottom - edgePx
    if (isInView && (range !== null || lastOffsetPx !== null)) return
    const offsetPx = scroller.clientHeight * targetTopShare - (box.top - element.getBoundingClientRect().top)
    if (lastOffsetPx !== null && Math.abs(offsetPx - lastOffsetPx) < 1) return
    lastOffsetPx = offsetPx
    scrollToTarget({ id: current.messageId, offsetPx })
  }
  const draw = () => {
    const results: Range[] = []
    let currentElement: HTMLElement | null = null
    let currentRange: Range | null = null
    for (const element of scroller.querySelectorAll<HTMLElement>('[data-message]')) {
      const ranges = rangesIn(element, (text) => occurrencesOf(query, text))
      const isCurrent = current !== null && element.dataset.message === current.messageId
      // A result in a text that is not displayed, such as a formula, has no range: the nearest one stands for it.
      const own = isCurrent ? (ranges[Math.min(current.nth, ranges.length - 1)] ?? null) : null
      element.toggleAttribute('data-found', isCurrent && own === null)
      if (isCurrent) [currentElement, currentRange] = [element, own]
      results.push(...ranges.filter((range) => range !== own))
    }
    highlight('find-results', results)
    highlight('find-current', currentRange ? [currentRange] : [])
    onCurrent(currentRange)
    if (!currentElement) return
    if (currentRange) revealSideways(currentRange, currentElement)
    scrollToCurrent(currentElement, currentRange)
  }
  const redraw = () => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(draw)
  }

  // Renders the message at its estimated position.
  if (current && !scroller.querySelector(`[data-message="${CSS.escape(current.messageId)}"]`))
    scrollToTarget({ id: current.messageId, offsetPx: scroller.clientHeight * targetTopShare })
  draw()
  const changes = new MutationObserver(redraw)
  changes.observe(scroller, { childList: true, subtree: true, characterData: true })
  const stopUserScroll = onUserScroll(scroller, () => {
    hasUserScrolled = true
  })
  return () => {
    cancelAnimationFrame(frame)
    changes.disconnect()
    stopUserScroll()
    for (const element of scroller.querySelectorAll('[data-message][data-found]')) element.removeAttribute('data-found')
    for (const name of ['find-results', 'find-current']) highlight(name, [])
  }
}
