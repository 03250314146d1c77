/**
 * A ref for a box that may scroll sideways: the box is a tab stop only while its content is wider, so that it can be scrolled with the
 * keyboard. Its first child must be as wide as the content, because an observer does not see the overflow.
 */
export function scrollTabStop(box: HTMLElement | null): (() => void) | undefined {
  if (!box) return undefined
  // Runs after the layout, so that reading the widths does not cause another one.
  const observer = new ResizeObserver(() => {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
    else box.removeAttribute('tabindex')
  })
  for (const part of [box, box.firstElementChild]) if (part) observer.observe(part)
  return () => observer.disconnect()
}
