/**
 * Highlights the results of the find bar in the rendered messages, and scrolls to the current one. Content that renders later (the Markdown
 * renderer, a font) is searched again.
 */
import { occurrencesOf } from '../../../../worker/contract/threads/find-in-thread.ts'
import type { HitPlace } from './find-hits.ts'
import { highlight, rangesIn } from './found-words.ts'
import type { ReadingPosition } from './reading-positions.ts'
import { revealSideways } from './show-found.ts'
import { onUserScroll } from './user-scroll.ts'
import './found.css'

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
/** Space at the edges of the view that the find bar and the composer's fade cover. */
const edgePx = 72

export function showHits({ scroller, query, current, scrollToTarget, onCurrent }: Shown): () => void {
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
