/**
 * Finds a text in all messages of the shown branch, also in those that are not rendered or not loaded. Escape closes the bar, returns the
 * focus, and selects the current result, as the search of a browser does.
 */
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { maxFindChars } from '../../../../worker/contract/limits.ts'
import { currentFindMessageId, type FindRequest } from '../../../lib/navigation.ts'
import { isInputMethodKey } from '../../../lib/shortcuts.ts'
import { libText } from '../../../lib/texts/en.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { chordOf } from '../../../ui/kbd.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import type { ShownMessage } from '../message/shown-messages.ts'
import { type Compared, countOf, type HitPlace, hitsIn, placeAt, positionOf, useHits } from './find-hits.ts'
import type { ReadingPosition } from './reading-positions.ts'
import { selectFound } from './selected-text.ts'
import { showHits } from './show-hits.ts'
import { t } from './texts/en.ts'

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
    onClose()
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
      className="absolute top-2 right-4 z-6 w-96 max-w-[calc(100%-2rem)] animate-appear rounded-xl border bg-raised shadow-float max-lg:top-[max(3.5rem,calc(env(safe-area-inset-top)+3.5rem))]"
    >
      <div className="flex items-center gap-1 py-1 pr-1.5 pl-3 touch:gap-2">
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
          className="h-9 min-w-0 flex-1 bg-transparent text-sm outline-none placeholder:text-muted-foreground touch:text-base"
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
        <p role="status" className="border-t px-3 py-1.5 text-xs text-muted-foreground text-pretty">
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
