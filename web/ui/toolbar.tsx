/**
 * A row of buttons that is one tab stop: arrow keys, Home and End move in it. The attribute `focusgroup` does that in browsers that have it,
 * and its polyfill in the others. Neither costs anything until a button has the focus, and a thread mounts a toolbar with each message.
 */
import { FocusGroup, type FocusGroupItemCollection } from '@microsoft/focusgroup-polyfill/shadowless'
import { type FocusEvent, type ReactNode, useEffect, useRef } from 'react'

type ToolbarProps = { readonly label: string; readonly className?: string; readonly children: ReactNode }

export function Toolbar({ label, className, children }: ToolbarProps) {
  const groupRef = useRef<FocusGroup>(null)
  // The button that was the tab stop may be gone.
  useEffect(() => groupRef.current?.update())
  const group = ({ currentTarget, target }: FocusEvent<HTMLElement>) => {
    // Overlays that a button opens are children in React only.
    if (groupRef.current || !currentTarget.contains(target)) return
    groupRef.current = new FocusGroup(currentTarget, buttonsOf(currentTarget), { definition })
  }
  return (
    <div role="toolbar" aria-label={label} {...attribute} onFocus={group} className={className}>
      {children}
    </div>
  )
}

const attribute = { focusgroup: 'toolbar wrap' }

/** Same as `attribute`, for the polyfill. Only left and right move, because menu buttons use up and down. */
const definition = { behavior: 'toolbar', axis: 'inline', wrap: true } as const

/** The buttons at the time of each call. */
function buttonsOf(toolbar: HTMLElement): FocusGroupItemCollection {
  const buttons = () => [...toolbar.querySelectorAll('button')]
  const adjacent = (button: HTMLElement, step: 1 | -1) => {
    const all: readonly HTMLElement[] = buttons()
    return all[all.indexOf(button) + step] ?? null
  }
  return {
    items: () => buttons().map((element) => ({ element })),
    first: () => buttons()[0] ?? null,
    last: () => buttons().at(-1) ?? null,
    next: (button) => adjacent(button, 1),
    previous: (button) => adjacent(button, -1),
    contains: (element) => element.matches('button') && toolbar.contains(element),
    // The group is made when a button has received the focus.
    get start() {
      return buttons().find((button) => button === document.activeElement) ?? null
    },
  }
}
