/** A button at the end of selected text, which quotes the text in the composer. */
import { Quote } from 'lucide-react'
import { type RefObject, useEffect, useState } from 'react'
import { pageShortcuts } from '../../../lib/shortcut-table.ts'
import { libText } from '../../../lib/texts/en.ts'
import { Button } from '../../../ui/button.tsx'
import { chordOf } from '../../../ui/kbd.tsx'
import { quoteInComposer } from '../composer/quote.ts'
import { selectedText } from './selected-text.ts'

type QuoteButtonProps = { readonly threadId: string; readonly scrollerRef: RefObject<HTMLElement | null> }

type ButtonPosition = { readonly text: string; readonly topPx: number; readonly leftPx: number }

/** Half of the width of the button, which stays inside the window. */
const marginPx = 48
const gapPx = 6

export function QuoteButton({ threadId, scrollerRef }: QuoteButtonProps) {
  const [spot, setSpot] = useState<ButtonPosition | null>(null)
  useEffect(() => {
    let isPressing = false
    const update = () => setSpot(isPressing ? null : selectionPosition(scrollerRef.current))
    const press = (isNow: boolean) => () => {
      isPressing = isNow
      // The click that ends a press may remove the selection.
      requestAnimationFrame(update)
    }
    const [down, up] = [press(true), press(false)]
    const scroller = scrollerRef.current
    update()
    document.addEventListener('selectionchange', update)
    scroller?.addEventListener('pointerdown', down)
    window.addEventListener('pointerup', up)
    window.addEventListener('pointercancel', up)
    scroller?.addEventListener('scroll', update, { passive: true })
    return () => {
      document.removeEventListener('selectionchange', update)
      scroller?.removeEventListener('pointerdown', down)
      window.removeEventListener('pointerup', up)
      window.removeEventListener('pointercancel', up)
      scroller?.removeEventListener('scroll', update)
    }
  }, [scrollerRef])
  if (!spot) return null
  return (
    <Button
      size="sm"
      className="fixed z-10 -translate-x-1/2 animate-appear bg-raised! shadow-float"
      style={{ top: spot.topPx, left: spot.leftPx }}
      // The press would remove the selection.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => {
        quoteInComposer(threadId, spot.text)
        document.getSelection()?.removeAllRanges()
        setSpot(null)
      }}
    >
      <Quote className="size-3.5" aria-hidden="true" />
      {libText('quote')}
      <span aria-hidden="true" className="font-mono text-muted-foreground touch:hidden">
        {chordOf(pageShortcuts.quote)}
      </span>
    </Button>
  )
}

/** Below the last selected line, while that line is in the view. */
function selectionPosition(scroller: HTMLElement | null): ButtonPosition | null {
  const selected = selectedText()
  if (!selected || !scroller?.contains(selected.range.startContainer)) return null
  const last = [...selected.range.getClientRects()].findLast(({ width }) => width > 0)
  const view = scroller.getBoundingClientRect()
  if (!last || last.bottom < view.top || last.bottom > view.bottom) return null
  const leftPx = Math.min(Math.max(last.right, view.left + marginPx), view.right - marginPx)
  return { text: selected.text, topPx: last.bottom + gapPx, leftPx }
}
