/** A button below the selected text that quotes it in the composer. It is inside the scroll view, so it scrolls with the text. */
import { Popover, usePopoverStore } from '@ariakit/react/popover'
import { Quote } from 'lucide-react'
import { useEffect, useState } from 'react'
import { pageShortcuts } from '../../../lib/shortcut-table.ts'
import { libText } from '../../../lib/texts/en.ts'
import { hasKeyboard } from '../../../lib/viewport.ts'
import { Button } from '../../../ui/button.tsx'
import { chordOf } from '../../../ui/kbd.tsx'
import { quoteInComposer } from '../composer/quote.ts'
import { selectedText } from './selected-text.ts'

/** Chosen: a touch device draws a handle of up to 30 px below the end of the selection. */
const touchGutterPx = 34

export function QuoteButton({ threadId }: { readonly threadId: string }) {
  const [text, setText] = useState('')
  const store = usePopoverStore({ open: true, placement: 'bottom' })
  useEffect(() => {
    let isPressing = false
    const update = () => {
      setText(isPressing ? '' : (selectionEnd()?.text ?? ''))
      store.render()
    }
    const onPointer = (event: PointerEvent) => {
      // The Quote button prevents the default of a press on it, which must not hide it.
      isPressing = event.type === 'pointerdown' && !event.defaultPrevented
      // A click may clear the selection.
      requestAnimationFrame(update)
    }
    update()
    const controller = new AbortController()
    const { signal } = controller
    document.addEventListener('selectionchange', update, { signal })
    for (const type of ['pointerdown', 'pointerup', 'pointercancel'] as const) window.addEventListener(type, onPointer, { signal })
    return () => controller.abort()
  }, [store])
  if (!text) return null
  return (
    <Popover
      store={store}
      role="presentation"
      focusable={false}
      gutter={hasKeyboard() ? 6 : touchGutterPx}
      getAnchorRect={() => selectionEnd()?.rect ?? null}
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

/** The selected text and the end of its last line. */
function selectionEnd() {
  const selected = selectedText()
  const last = [...(selected?.range.getClientRects() ?? [])].findLast(({ width }) => width > 0)
  return selected && last ? { text: selected.text, rect: { x: last.right, y: last.y, height: last.height } } : null
}
