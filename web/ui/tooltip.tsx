/**
 * Tooltips by attribute: one layer, mounted once at the root, watches pointer and focus and shows the text of the nearest
 * `data-tooltip`. A hundred buttons cost no hooks and no DOM. The text repeats or explains a control; it is never the only
 * place where something is said, so the layer itself is hidden from assistive technology.
 */
import { useEffect, useRef } from 'react'
import { place } from './place.ts'

export type TooltipProps = {
  readonly 'data-tooltip'?: string
  readonly 'data-tooltip-keys'?: string
  readonly 'aria-description'?: string
}

type TooltipOptions = {
  /** A keyboard shortcut shown beside the text. */
  readonly keys?: string | undefined
  /** The text says more than the control's name, so it is read out as its description. */
  readonly describes?: boolean
}

export const tooltip = (text: string | undefined, { keys, describes = false }: TooltipOptions = {}): TooltipProps => {
  if (!text) return {}
  return { 'data-tooltip': text, ...(keys && { 'data-tooltip-keys': keys }), ...(describes && { 'aria-description': text }) }
}

const boxAround = (target: EventTarget | null): Element | null => (target instanceof Element ? target.closest('dialog, [popover]') : null)

const openDelayMs = 450
/** Moving along a row of buttons, the next tooltip comes at once. */
const warmMs = 300
const movedOnPx = 24

export function TooltipLayer() {
  const layerRef = useRef<HTMLDivElement>(null)
  useEffect(() => (layerRef.current ? watchTooltips(layerRef.current) : undefined), [])
  return (
    <div
      ref={layerRef}
      popover="manual"
      aria-hidden="true"
      className="pointer-events-none max-w-72 rounded-md bg-foreground px-2 py-1 text-xs text-background text-pretty open:animate-appear"
    >
      <span />
      <span className="ml-2 font-mono opacity-70" />
    </div>
  )
}

function watchTooltips(layer: HTMLDivElement): () => void {
  let owner: HTMLElement | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let hiddenAt = 0
  /** What was just pressed has been understood, also when it has become something else; quiet until the pointer has moved on. */
  let pressedAt: { readonly x: number; readonly y: number } | null = null

  const show = (target: HTMLElement) => {
    const [text, keys] = layer.children
    if (!target.isConnected || !text || !keys) return
    text.textContent = target.dataset.tooltip ?? ''
    keys.textContent = target.dataset.tooltipKeys ?? ''
    keys.toggleAttribute('hidden', !target.dataset.tooltipKeys)
    layer.showPopover()
    place(layer, target, { side: 'top', align: 'center', gapPx: 6 })
  }
  const hide = () => {
    clearTimeout(timer)
    owner = null
    if (!layer.matches(':popover-open')) return
    layer.hidePopover()
    hiddenAt = performance.now()
  }
  const consider = (event: Event, delayMs: number) => {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tooltip]') : null
    if (target === owner) return
    hide()
    if (!target || target.getAttribute('aria-expanded') === 'true') return
    owner = target
    timer = setTimeout(() => show(target), performance.now() - hiddenAt < warmMs ? 0 : delayMs)
  }

  const onPointerOver = (event: PointerEvent) => {
    if (event.pointerType !== 'mouse') return
    if (pressedAt && Math.hypot(event.clientX - pressedAt.x, event.clientY - pressedAt.y) < movedOnPx) return
    pressedAt = null
    consider(event, openDelayMs)
  }
  const onFocusIn = (event: FocusEvent) => {
    // Focus that a menu or a dialog takes or gives back was not moved to this control to learn what it is.
    const wasPlaced = boxAround(event.target) !== boxAround(event.relatedTarget)
    if (!wasPlaced && event.target instanceof Element && event.target.matches(':focus-visible')) consider(event, 0)
  }
  // A finger cannot hover: touching a control that refuses shows why it does.
  const onClick = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tooltip]') : null
    if (target?.getAttribute('aria-disabled') === 'true') {
      owner = null
      consider(event, 0)
    } else {
      pressedAt = { x: event.clientX, y: event.clientY }
      hide()
    }
  }
  // What the pointer rests on may take the focus of a menu from another item: that one's loss is not this one's.
  const onFocusOut = (event: FocusEvent) => {
    if (owner && event.target instanceof Node && owner.contains(event.target)) hide()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') hide()
  }

  const controller = new AbortController()
  const options = { signal: controller.signal, capture: true, passive: true }
  document.addEventListener('pointerover', onPointerOver, options)
  document.addEventListener('focusin', onFocusIn, options)
  document.addEventListener('focusout', onFocusOut, options)
  document.addEventListener('click', onClick, options)
  document.addEventListener('keydown', onKeyDown, options)
  document.addEventListener('scroll', hide, options)
  return () => {
    controller.abort()
    hide()
  }
}
