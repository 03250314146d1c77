/**
 * Shows the tooltip of the control under the pointer or with the focus. The text repeats or explains a control, and assistive technology
 * reads it from the control, so the tooltip is hidden from it. Loads after the first paint.
 */
import { Tooltip, useTooltipStore } from '@ariakit/react/tooltip'
import { useEffect, useState } from 'react'
import { cx } from '../lib/cx.ts'

type Shown = {
  readonly owner: HTMLElement
  readonly text: string
  readonly keys: string | undefined
  readonly placement: 'top' | 'right'
  /** For a citation: the site and excerpt of the cited page. `text` is its title. */
  readonly site: string | undefined
  readonly snippet: string | undefined
}

export function TooltipPanel() {
  const [shown, setShown] = useState<Shown | null>(null)
  useEffect(() => watchTooltips((owner) => setShown(owner && shownOf(owner))), [])
  return shown && <Shown key={shown.text} {...shown} onHide={() => setShown(null)} />
}

const shownOf = (owner: HTMLElement): Shown => ({
  owner,
  text: owner.dataset.tooltip ?? '',
  keys: owner.dataset.tooltipKeys,
  placement: owner.dataset.tooltipPlacement === 'right' ? 'right' : 'top',
  site: owner.dataset.tooltipSite,
  snippet: owner.dataset.tooltipSnippet,
})

function Shown({ owner, text, keys, placement, site, snippet, onHide }: Shown & { readonly onHide: () => void }) {
  const store = useTooltipStore({ defaultOpen: true, setOpen: (isOpen) => !isOpen && onHide(), placement })
  return (
    <Tooltip
      store={store}
      getAnchorRect={() => owner.getBoundingClientRect()}
      gutter={6}
      aria-hidden="true"
      // Escape closes the overlay below as well, and moving the pointer is watched here.
      getPersistentElements={() => document.querySelectorAll('[data-dialog]')}
      hideOnHoverOutside={false}
      className={cx(
        'pointer-events-none z-60 animate-appear text-xs text-pretty forced-colors:border',
        site
          ? 'w-80 max-w-[calc(100vw-1rem)] rounded-lg bg-raised p-3 text-muted-foreground shadow-float'
          : 'max-w-72 rounded-md bg-foreground px-2 py-1 text-background',
      )}
    >
      {site ? (
        <>
          <p className="line-clamp-2 text-sm font-medium text-foreground">{text}</p>
          <p className="mt-0.5 truncate">{site}</p>
          {snippet && <p className="mt-1.5 line-clamp-4 wrap-anywhere">{snippet}</p>}
        </>
      ) : (
        <>
          <span>{text}</span>
          {keys && <span className="ml-2 font-mono opacity-70">{keys}</span>}
        </>
      )}
    </Tooltip>
  )
}

const openDelayMs = 450
/** The next tooltip within this time appears at once. */
const warmMs = 300
const movedOnPx = 24

/** Keys that move the focus to another control. Focus that an overlay takes or gives back shows no tooltip. */
const movesFocus = /^(Tab|Arrow|Home|End)/

function watchTooltips(show: (owner: HTMLElement | null) => void): () => void {
  let owner: HTMLElement | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isShown = false
  let hiddenAt = 0
  let lastKey = ''
  /** After a press, the control shows no tooltip until the pointer has moved. */
  let pressedAt: { readonly x: number; readonly y: number } | null = null

  const hide = () => {
    clearTimeout(timer)
    owner = null
    if (!isShown) return
    isShown = false
    hiddenAt = performance.now()
    show(null)
  }
  const consider = (element: EventTarget | null, delayMs: number) => {
    const target = element instanceof Element ? element.closest<HTMLElement>('[data-tooltip]') : null
    if (target === owner) return
    hide()
    if (!target || target.getAttribute('aria-expanded') === 'true') return
    owner = target
    timer = setTimeout(
      () => {
        isShown = target.isConnected
        if (isShown) show(target)
      },
      performance.now() - hiddenAt < warmMs ? 0 : delayMs,
    )
  }

  const onPointerOver = (event: PointerEvent) => {
    if (event.pointerType !== 'mouse') return
    if (pressedAt && Math.hypot(event.clientX - pressedAt.x, event.clientY - pressedAt.y) < movedOnPx) return
    pressedAt = null
    consider(event.target, openDelayMs)
  }
  const onFocusIn = ({ target }: FocusEvent) => {
    if (movesFocus.test(lastKey) && target instanceof Element && target.matches(':focus-visible')) consider(target, 0)
  }
  // Touch has no hover: tapping a disabled control shows its reason.
  const onClick = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tooltip]') : null
    if (target?.getAttribute('aria-disabled') === 'true') {
      owner = null
      consider(target, 0)
    } else {
      pressedAt = { x: event.clientX, y: event.clientY }
      hide()
    }
  }
  // The hovered menu item may take focus from another item. Hide only when the tooltip's own control loses focus.
  const onFocusOut = (event: FocusEvent) => {
    if (owner && event.target instanceof Node && owner.contains(event.target)) hide()
  }
  const onKeyDown = ({ key }: KeyboardEvent) => {
    lastKey = key
    if (key === 'Escape') hide()
  }

  const controller = new AbortController()
  const options = { signal: controller.signal, capture: true, passive: true }
  document.addEventListener('pointerover', onPointerOver, options)
  document.addEventListener('focusin', onFocusIn, options)
  document.addEventListener('focusout', onFocusOut, options)
  document.addEventListener('click', onClick, options)
  document.addEventListener('keydown', onKeyDown, options)
  document.addEventListener('scroll', hide, options)
  // The gesture that loads this code came before the listeners.
  consider(document.querySelector('[data-tooltip]:focus-visible, [data-tooltip]:hover'), openDelayMs)
  return () => {
    controller.abort()
    hide()
  }
}
