import { focusComposer } from './composer-field.tsx'

/**
 * For a button that disappears with its item. Focuses `control` in the next item, or in the previous one if it is the last, so that several
 * can be removed in a row. Without such a control, the composer gets the focus.
 */
export function focusNeighbour(item: Element | null, control: string): void {
  const neighbour = item?.nextElementSibling ?? item?.previousElementSibling
  const target = neighbour?.querySelector<HTMLElement>(control)
  if (target) target.focus({ preventScroll: true })
  else focusComposer(item)
}
