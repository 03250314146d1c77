/**
 * The sidebar sheet follows the finger: from the left edge to open, anywhere on the sheet or its scrim to close. A drag counts only once it
 * is clearly horizontal, and never if it starts in a horizontal scroller.
 */
type SwipeOptions = {
  readonly isOpen: boolean
  readonly panel: HTMLElement
  readonly scrim: HTMLElement
  readonly onSettle: (isOpen: boolean) => void
}

const edgePx = 28
const slopPx = 8
/** Chosen: a faster drag is decided by its direction, however short it was. */
const flickPxPerMs = 0.3

/** Where a drag ends: by its speed for a flick, otherwise by the side of the middle. */
export const settlesOpen = (shownShare: number, velocityPxPerMs: number): boolean =>
  Math.abs(velocityPxPerMs) > flickPxPerMs ? velocityPxPerMs > 0 : shownShare > 0.5

/** Returns the function that ends it. */
export function followSwipes({ isOpen, panel, scrim, onSettle }: SwipeOptions): () => void {
  let start: { x: number; y: number } | null = null
  let isDragging = false
  let last = { x: 0, atMs: 0, velocity: 0 }

  const shownShare = (x: number) => {
    const width = panel.offsetWidth
    return Math.min(1, Math.max(0, ((isOpen ? width : 0) + x - (start?.x ?? x)) / width))
  }
  const draw = (share: number | null) => {
    panel.style.transition = share === null ? '' : 'none'
    panel.style.visibility = share === null ? '' : 'visible'
    panel.style.translate = share === null ? '' : `${(share - 1) * 100}%`
    scrim.style.transition = share === null ? '' : 'none'
    scrim.style.opacity = share === null ? '' : String(share)
  }
  const reset = () => {
    start = null
    isDragging = false
    draw(null)
  }
  const onStart = (event: TouchEvent) => {
    const touch = event.touches[0]
    if (!touch || event.touches.length > 1 || (!isOpen && (touch.clientX > edgePx || scrollsSideways(event.target)))) return
    start = { x: touch.clientX, y: touch.clientY }
    last = { x: touch.clientX, atMs: event.timeStamp, velocity: 0 }
  }
  const onMove = (event: TouchEvent) => {
    const touch = event.touches[0]
    if (!start || !touch) return
    const dx = touch.clientX - start.x
    const dy = touch.clientY - start.y
    if (!isDragging) {
      if (Math.abs(dy) > slopPx && Math.abs(dy) > Math.abs(dx)) return reset()
      if (Math.abs(dx) < slopPx) return
      isDragging = true
    }
    const elapsedMs = Math.max(1, event.timeStamp - last.atMs)
    last = { x: touch.clientX, atMs: event.timeStamp, velocity: (touch.clientX - last.x) / elapsedMs }
    draw(shownShare(touch.clientX))
  }
  const onEnd = () => {
    if (isDragging) onSettle(settlesOpen(shownShare(last.x), last.velocity))
    reset()
  }
  const controller = new AbortController()
  const options = { passive: true, signal: controller.signal }
  window.addEventListener('touchstart', onStart, options)
  window.addEventListener('touchmove', onMove, options)
  window.addEventListener('touchend', onEnd, options)
  window.addEventListener('touchcancel', reset, options)
  return () => {
    controller.abort()
    reset()
  }
}

function scrollsSideways(target: EventTarget | null): boolean {
  for (let element = target instanceof Element ? target : null; element; element = element.parentElement) {
    if (element.scrollLeft > 0) return true
  }
  return false
}
