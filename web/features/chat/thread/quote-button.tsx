/** A button at the end of selected text, which quotes the text in the composer. It scrolls with the text, because it is in the scroll view. */
import { Popover, usePopoverStore } from '@ariakit/react/popover'
import { Quote } from 'lucide-react'
import { useEffect, useState } from 'react'
import { pageShortcuts } from '../../../lib/shortcut-table.ts'
import { libText } from '../../../lib/texts/en.ts'
import { Button } from '../../../ui/button.tsx'
import { chordOf } from '../../../ui/kbd.tsx'
import { quoteInComposer } from '../composer/quote.ts'
import { selectedText } from './selected-text.ts'

export function QuoteButton({ threadId }: { readonly threadId: string }) {
  const [text, setText] = useState('')
  const store = usePopoverStore({ open: true, placement: 'bottom' })
  useEffect(() => {
    let isPressing = false
    const update = () => {
      setText((!isPressing && selectedText()?.text) || '')
      store.render()
    }
    const press = (event: PointerEvent) => {
      isPressing = event.type === 'pointerdown' && !event.defaultPrevented
      // The click that ends a press may remove the selection.
      requestAnimationFrame(update)
    }
    update()
    const controller = new AbortController()
    const { signal } = controller
    document.addEventListener('selectionchange', update, { signal })
    for (const type of ['pointerdown', 'pointerup', 'pointercancel'] as const) window.addEventListener(type, press, { signal })
    return () => controller.abort()
  }, [store])
  if (!text) return null
  return (
    <Popover
      store={store}
      role="presentation"
      gutter={6}
      getAnchorRect={selectionEnd}
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
        // The press would remove the selection.
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

function selectionEnd() {
  const last = [...(selectedText()?.range.getClientRects() ?? [])].findLast(({ width }) => width > 0)
  return last ? { x: last.right, y: last.y, height: last.height } : null
}
