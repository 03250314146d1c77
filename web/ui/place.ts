/**
 * Where a floating box goes: beside its anchor, flipped when the other side has more room, kept inside the window.
 * The arithmetic is pure; `place` reads the DOM and applies it. Boxes are in the top layer and positioned to the window.
 */
export type Side = 'top' | 'bottom' | 'left' | 'right'
export type Align = 'start' | 'center' | 'end'
export type Placement = { readonly side: Side; readonly align: Align; readonly gapPx?: number }

type Box = { readonly left: number; readonly top: number; readonly width: number; readonly height: number }
type Size = { readonly width: number; readonly height: number }

const marginPx = 8

export function positionOf(anchor: Box, size: Size, viewport: Size, { side, align, gapPx = 6 }: Placement): { left: number; top: number } {
  const vertical = side === 'top' || side === 'bottom'
  const before = vertical ? anchor.top : anchor.left
  const after = vertical ? viewport.height - anchor.top - anchor.height : viewport.width - anchor.left - anchor.width
  const wanted = (vertical ? size.height : size.width) + gapPx + marginPx
  const prefersBefore = side === 'top' || side === 'left'
  const fits = (prefersBefore ? before : after) >= wanted
  const goesBefore = fits ? prefersBefore : before > after

  const main = goesBefore
    ? (vertical ? anchor.top - size.height : anchor.left - size.width) - gapPx
    : (vertical ? anchor.top + anchor.height : anchor.left + anchor.width) + gapPx
  const start = vertical ? anchor.left : anchor.top
  const slack = vertical ? anchor.width - size.width : anchor.height - size.height
  const cross = start + (align === 'start' ? 0 : align === 'center' ? slack / 2 : slack)

  const left = vertical ? cross : main
  const top = vertical ? main : cross
  return {
    left: Math.round(clamp(left, marginPx, viewport.width - size.width - marginPx)),
    top: Math.round(clamp(top, marginPx, viewport.height - size.height - marginPx)),
  }
}

/** When the box is larger than the room, its start wins. */
const clamp = (value: number, min: number, max: number): number => Math.max(min, Math.min(value, max))

export function place(floating: HTMLElement, anchor: Element, placement: Placement): void {
  const anchorBox = anchor.getBoundingClientRect()
  // offsetWidth, not the bounding box: an opening animation may be scaling it.
  const size = { width: floating.offsetWidth, height: floating.offsetHeight }
  const viewport = { width: document.documentElement.clientWidth, height: window.visualViewport?.height ?? window.innerHeight }
  const { left, top } = positionOf(anchorBox, size, viewport, placement)
  floating.style.position = 'fixed'
  floating.style.left = `${left}px`
  floating.style.top = `${top}px`
}
