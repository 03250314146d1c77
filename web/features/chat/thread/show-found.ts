/**
 * Shows a found message until the user continues: scrolls to the first search word, highlights all of them and focuses the message for
 * screen readers. Content that renders later (the Markdown renderer, a font) is searched again.
 */

import { matchRanges } from '../../../lib/match-words.ts'
import { highlight, rangesIn } from './found-words.ts'
import type { ReadingPosition } from './reading-positions.ts'
import { onUserScroll } from './user-scroll.ts'
import './found.css'

type Shown = {
  readonly scroller: HTMLElement
  readonly messageId: string
  readonly words: readonly string[]
  readonly scrollToTarget: (position: ReadingPosition) => void
  /** Called when the user continues. */
  readonly onEnd: () => void
}

/** Chosen: long enough to find the words, short enough not to disturb reading. */
const markedMs = 8000
/** Position of the first word as a share of the view height. */
const targetTopShare = 0.3
const markName = 'found-words'

export function showFound({ scroller, messageId, words, scrollToTarget, onEnd }: Shown): () => void {
  let element: HTMLElement | null = null
  let marks: readonly Range[] = []
  let lastOffsetPx: number | undefined
  let hasUserScrolled = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const scrollToMatch = (offsetPx: number) => {
    if (hasUserScrolled || (lastOffsetPx !== undefined && Math.abs(offsetPx - lastOffsetPx) < 1)) return
    lastOffsetPx = offsetPx
    scrollToTarget({ id: messageId, offsetPx })
  }
  const look = () => {
    if (!element) return
    marks = rangesIn(element, (text) => matchRanges(words, text))
    mark(element, marks)
    const first = marks[0]
    if (first) revealSideways(first, element)
    const insidePx = first ? first.getBoundingClientRect().top - element.getBoundingClientRect().top : 0
    scrollToMatch(scroller.clientHeight * targetTopShare - insidePx)
  }
  const resized = new ResizeObserver(look)
  const find = () => {
    if (element?.isConnected) return
    const found = scroller.querySelector<HTMLElement>(`[data-message="${CSS.escape(messageId)}"]`)
    if (!found) return
    if (element) unmark(element)
    else focusOn(found)
    element = found
    resized.disconnect()
    resized.observe(element)
    timer ??= setTimeout(onEnd, markedMs)
    look()
  }
  const drawn = new MutationObserver((records) => {
    if (element?.isConnected && records.some(({ target }) => element?.contains(target))) look()
    else find()
  })
  const onScroll = () => {
    if (hasUserScrolled && element && !isInView(scroller, marks.length > 0 ? marks : [element])) onEnd()
  }

  // Before the message is rendered; only its estimated position is known.
  scrollToMatch(scroller.clientHeight * targetTopShare)
  find()
  drawn.observe(scroller, { childList: true, subtree: true, characterData: true })
  const stopUserScroll = onUserScroll(scroller, () => {
    hasUserScrolled = true
  })
  scroller.addEventListener('scroll', onScroll, { passive: true })
  document.addEventListener('input', onEnd)
  return () => {
    clearTimeout(timer)
    drawn.disconnect()
    resized.disconnect()
    stopUserScroll()
    scroller.removeEventListener('scroll', onScroll)
    document.removeEventListener('input', onEnd)
    if (element) unmark(element)
  }
}

/** Highlights the whole message if single words cannot be highlighted (a formula, an older browser). */
function mark(element: HTMLElement, ranges: readonly Range[]): void {
  element.toggleAttribute('data-found', ranges.length === 0 || !('highlights' in CSS))
  highlight(markName, ranges)
}

function unmark(element: HTMLElement): void {
  element.removeAttribute('data-found')
  highlight(markName, [])
}

/** The focus is on the message, so that screen readers read it and keys scroll it. */
function focusOn(element: HTMLElement): void {
  const message = element.querySelector('article')
  if (!message) return
  message.tabIndex = -1
  message.addEventListener('blur', () => message.removeAttribute('tabindex'), { once: true })
  message.focus({ preventScroll: true })
}

/** Wide code blocks and tables scroll horizontally. */
export function revealSideways(range: Range, element: HTMLElement): void {
  const start = range.startContainer.parentElement
  for (let box = start; box && box !== element; box = box.parentElement) {
    if (box.scrollWidth <= box.clientWidth || !/auto|scroll/.test(getComputedStyle(box).overflowX)) continue
    const [at, view] = [range.getBoundingClientRect(), box.getBoundingClientRect()]
    if (at.left < view.left || at.right > view.right) box.scrollLeft += at.left - view.left - view.width / 3
  }
}

function isInView(scroller: HTMLElement, marked: readonly (Range | HTMLElement)[]): boolean {
  const view = scroller.getBoundingClientRect()
  return marked.some((part) => {
    const { top, bottom } = part.getBoundingClientRect()
    return bottom > view.top && top < view.bottom
  })
}
