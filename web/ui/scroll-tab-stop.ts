/**
 * A ref for a box that may scroll: the box is a tab stop only while its content is larger, so that it can be scrolled with the keyboard. If
 * the content changes, the first child must be as large as the content, because an observer does not see the overflow.
 */
export function scrollTabStop(box: HTMLElement | null): (() => void) | undefined {
  if (!box) return undefined
  // Runs after the layout, so that reading the sizes does not cause another one.
  const observer = new ResizeObserver(() => {
    // One pixel of height can be rounding.
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1) box.tabIndex = 0
    else box.removeAttribute('tabindex')
  })
  for (const part of [box, box.firstElementChild]) if (part) observer.observe(part)
  return () => observer.disconnect()
}
