/** Scrolls to the message of a search result if it is in this thread, and announces it to screen readers. */
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import { pathTo } from '../../../../worker/contract/threads/branches.ts'
import { matchRanges, type TextRange } from '../../../lib/match-words.ts'
import { showMessageRequest } from '../../../lib/navigation.ts'
import { useStored } from '../../../lib/store.ts'
import type { MessageRow } from '../../../sync/rows.ts'
import { toast } from '../../../ui/toaster.tsx'
import type { ShownMessage } from '../message/shown-messages.ts'
import type { ReadingPosition } from './reading-positions.ts'
import { t } from './texts/en.ts'
import { onUserScroll } from './user-scroll.ts'
import './found.css'

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

/*
 * Shows a found message until the user continues: scrolls to the first search word, highlights all of them and focuses the message for
 * screen readers. Content that renders later (the Markdown renderer, a font) is searched again.
 */

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

function showFound({ scroller, messageId, words, scrollToTarget, onEnd }: Shown): () => void {
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

/* Finds the search words in the rendered text of a message, and highlights them. */

/** The message text, without reasoning and added notes. */
export const messageTextSelector = '[data-message-text], .md:not(.md-quiet)'
const skippedSelector = '.md-code-head, .katex, svg, button, .sr-only'
/** A word does not span two of these blocks; a phrase may. */
const blockSelector = 'p, li, h1, h2, h3, h4, h5, h6, td, th, pre, blockquote, [data-message-text], .md'

/**
 * The ranges of what `find` finds in the text of a rendered message. Skips text that is not displayed, for example formula sources and link
 * addresses.
 */
export function rangesIn(message: Element, find: (text: string) => readonly TextRange[]): readonly Range[] {
  const pieces: { readonly node: Text; readonly from: number }[] = []
  let text = ''
  let block: Element | null = null
  for (const element of message.querySelectorAll(messageTextSelector)) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const node = walker.currentNode as Text
      if (node.parentElement?.closest(skippedSelector)) continue
      const own = node.parentElement?.closest(blockSelector) ?? null
      if (own !== block) text += '\n'
      block = own
      pieces.push({ node, from: text.length })
      text += node.data
    }
  }
  const put = (at: number, isEnd: boolean) => {
    // The end of a word may equal the end of a text node; its start never does.
    const index = pieces.findLastIndex(({ from }) => (isEnd ? from < at : from <= at))
    const piece = pieces[index]
    return piece && ([piece.node, at - piece.from] as const)
  }
  return find(text).flatMap(({ from, to }) => {
    const [start, end] = [put(from, false), put(to, true)]
    if (!start || !end) return []
    const range = new Range()
    range.setStart(...start)
    range.setEnd(...end)
    return [range]
  })
}

/** Older browsers have no highlights. */
export function highlight(name: string, ranges: readonly Range[]): void {
  if (!('highlights' in CSS)) return
  if (ranges.length > 0) CSS.highlights.set(name, new Highlight(...ranges))
  else CSS.highlights.delete(name)
}
