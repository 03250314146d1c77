/**
 * A menu of actions: arrow keys, Home, End and first letters move; Enter and Space choose; choosing closes and returns focus. It opens at
 * its first item, or at the chosen one.
 */
import { Check } from 'lucide-react'
import { createContext, type KeyboardEvent, type ReactNode, useContext } from 'react'
import { cx } from '../lib/cx.ts'
import type { Align, Side } from './place.ts'
import { Popover, type TriggerProps } from './popover.tsx'
import { tooltip } from './tooltip.tsx'

const CloseContext = createContext<() => void>(() => {})

type MenuProps = {
  readonly label: string
  readonly trigger: (props: TriggerProps) => ReactNode
  readonly children: ReactNode
  readonly side?: Side
  readonly align?: Align
  readonly className?: string
  readonly onOpenChange?: (open: boolean) => void
}

export function Menu({ children, className, ...props }: MenuProps) {
  return (
    <Popover {...props} role="menu" className={cx('min-w-44 p-1', className)}>
      {(close) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the menu around it, which holds the role
        <div className="flex flex-col" onKeyDown={moveFocus}>
          <CloseContext value={close}>{children}</CloseContext>
        </div>
      )}
    </Popover>
  )
}

type MenuItemProps = {
  readonly children: ReactNode
  readonly onSelect: () => void
  readonly icon?: ReactNode
  /** Given for items of which one is chosen. */
  readonly checked?: boolean
  readonly danger?: boolean
  readonly disabledReason?: string | undefined
  readonly keys?: string
}

export function MenuItem({ children, onSelect, icon, checked, danger = false, disabledReason, keys }: MenuItemProps) {
  const close = useContext(CloseContext)
  const isDisabled = disabledReason !== undefined
  return (
    <button
      type="button"
      {...(checked === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': checked })}
      aria-disabled={isDisabled || undefined}
      tabIndex={-1}
      data-autofocus={checked ? '' : undefined}
      {...tooltip(disabledReason, { describes: true })}
      className={cx(itemClass, danger && 'text-danger [&_svg]:text-danger')}
      onClick={() => {
        if (isDisabled) return
        close()
        onSelect()
      }}
      onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
    >
      {icon}
      <span className="flex-1 truncate text-left">{children}</span>
      {keys && <span className="font-mono text-xs text-muted-foreground">{keys}</span>}
      {checked && <Check aria-hidden="true" />}
    </button>
  )
}

/** For links that stand in a menu: give them this class and `role="menuitem"`. */
export const itemClass =
  'flex min-h-8 w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-sm outline-none select-none focus:bg-foreground/8 aria-disabled:*:opacity-50 touch:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted-foreground'

export function MenuSeparator() {
  return <hr className="-mx-1 my-1 border-border" />
}

export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return <div className="px-2 pt-1.5 pb-1 text-xs text-muted-foreground">{children}</div>
}

/** Closes the menu around the caller and returns focus; for links that stand in a menu. */
export const useCloseMenu = (): (() => void) => useContext(CloseContext)

function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role^="menuitem"]')]
  const index = items.indexOf(document.activeElement as HTMLElement)
  const next = nextItem(event.key, items, index)
  if (!next) return
  event.preventDefault()
  next.focus()
}

function nextItem(key: string, items: readonly HTMLElement[], index: number): HTMLElement | undefined {
  switch (key) {
    case 'ArrowDown':
      return items[(index + 1) % items.length]
    case 'ArrowUp':
      return items.at(index <= 0 ? -1 : index - 1)
    case 'Home':
      return items[0]
    case 'End':
      return items.at(-1)
    default: {
      if (key.length !== 1 || key === ' ') return undefined
      const later = [...items.slice(index + 1), ...items.slice(0, index + 1)]
      return later.find((item) => item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()))
    }
  }
}
