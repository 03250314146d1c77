/** Quotes the selected text in the composer. The button is below the selection, inside the scroll view, so it scrolls with the text. */
import { Popover, usePopoverStore } from '@ariakit/react/popover'
import { Quote } from 'lucide-react'
import { useEffect, useState } from 'react'
import { pageShortcuts } from '../../../lib/shortcuts.ts'
import { libText } from '../../../lib/texts/en.ts'
import { hasKeyboard } from '../../../lib/viewport.ts'
import { Button } from '../../../ui/button.tsx'
import { chordOf } from '../../../ui/kbd.tsx'
import { quoteInComposer } from '../composer/quote.ts'
import { isFound, selectedText } from './open-find.ts'

/** Chosen: 4 px below the selection handle of touch devices, which is up to 30 px high. */
const touchGutterPx = 34

export function QuoteButton({ threadId }: { readonly threadId: string }) {
  const [text, setText] = useState('')
  const store = usePopoverStore({ open: true, placement: 'bottom' })
  useEffect(() => {
    let isPressing = false
    const update = () => {
      setText(isPressing ? '' : (quotedSelection()?.text ?? ''))
      store.render()
    }
    const onPointer = (event: PointerEvent) => {
      // A press on the Quote button must not hide the button. Its handler has already prevented the default.
      isPressing = event.type === 'pointerdown' && !event.defaultPrevented
      // Waits a frame, because the browser may change the selection after the event.
      requestAnimationFrame(update)
    }
    const controller = new AbortController()
    const { signal } = controller
    document.addEventListener('selectionchange', update, { signal })
    for (const type of ['pointerdown', 'pointerup', 'pointercancel'] as const) window.addEventListener(type, onPointer, { signal })
    // The first selection loaded this chunk.
    update()
    return () => controller.abort()
  }, [store])
  if (!text) return null
  return (
    <Popover
      store={store}
      role="presentation"
      focusable={false}
      // Devices without a fine pointer show selection handles.
      gutter={hasKeyboard() ? 6 : touchGutterPx}
      getAnchorRect={() => quotedSelection()?.rect ?? null}
      // The focus stays where the selection was made.
      autoFocusOnShow={false}
      autoFocusOnHide={false}
      hideOnEscape={false}
      hideOnInteractOutside={false}
      className="z-10"
    >
      <Button
        size="sm"
        className="animate-appear bg-raised! shadow-float"
        // A press on the button would clear the selection.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => {
          quoteInComposer(threadId, text)
          document.getSelection()?.removeAllRanges()
        }}
      >
        <Quote className="size-3.5" aria-hidden="true" />
        {libText('quote')}
        <span aria-hidden="true" className="font-mono text-muted-foreground touch:hidden">
          {chordOf(pageShortcuts.quote)}
        </span>
      </Button>
    </Popover>
  )
}

type QuotedSelection = {
  readonly text: string
  readonly rect: { readonly x: number; readonly y: number; readonly height: number }
}

/** The text that the user selected, and the rectangle at the end of its last line. */
function quotedSelection(): QuotedSelection | null {
  const selected = selectedText()
  // After the find bar closes, the button would cover the toolbar of the answer with the result.
  if (!selected || isFound(selected.range)) return null
  const last = [...selected.range.getClientRects()].findLast(({ width }) => width > 0)
  return last ? { text: selected.text, rect: { x: last.right, y: last.y, height: last.height } } : null
}
