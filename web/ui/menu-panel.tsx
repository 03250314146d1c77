/** The open menu and its items. Loads after the first paint. */
import { MenuItem as Item, Menu, useMenuContext, useMenuStore } from '@ariakit/react/menu'
import { useStoreState } from '@ariakit/react/store'
import { Check } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import { cx } from '../lib/cx.ts'
import { MenuItemContext, type MenuItemProps } from './menu.tsx'
import { acceptEscape, useCloseRequest } from './modal.tsx'
import type { PanelProps } from './popover.tsx'
import { gutterPx, panelClass, useTrigger } from './popover-panel.tsx'
import { tooltip } from './tooltip.tsx'

/** With the dialogs, and with the sidebar, which is a landmark or a dialog. */
const landmarks = 'main, aside, [role=complementary], [role=dialog], [data-dialog]'

export function MenuPanel({ id, label, triggerRef, placement = 'bottom-start', className, onClose, startsAt, children }: PanelProps) {
  // Both axes, because items may stand in a row.
  const store = useMenuStore({
    defaultOpen: true,
    setOpen: (isOpen) => !isOpen && onClose(),
    placement,
    orientation: 'both',
    focusLoop: true,
  })
  useTrigger(store, triggerRef)
  useCloseRequest(onClose)
  // The focus starts at the chosen item, and at the first one in menus without, unless ArrowUp has opened the menu. Set once: items that
  // arrive later do not take the focus.
  const items = useStoreState(store, 'renderedItems')
  const [initialFocus, setInitialFocus] = useState<HTMLElement | null>(null)
  if (!initialFocus && items.length > 0) {
    const item = startsAt === 'last' ? items.at(-1) : (items.find(({ element }) => element?.ariaChecked === 'true') ?? items[0])
    setInitialFocus(item?.element ?? null)
  }
  // The button has the focus when the browser moves it, so that Tab goes on from there.
  const closeOnTab = ({ key }: KeyboardEvent) => {
    if (key === 'Tab') flushSync(() => store.hide())
  }
  return (
    <MenuItemContext value={MenuPanelItem}>
      <Menu
        store={store}
        id={id}
        aria-label={label}
        portal
        // Within the landmark of the button: screen readers list content outside landmarks as lost.
        portalElement={() => triggerRef.current?.closest<HTMLElement>(landmarks) ?? document.body}
        preserveTabOrder={false}
        onKeyDown={closeOnTab}
        gutter={gutterPx}
        hideOnEscape={acceptEscape}
        initialFocus={initialFocus}
        className={cx(panelClass, 'flex min-w-44 flex-col overflow-y-auto p-1', className)}
      >
        {children}
      </Menu>
    </MenuItemContext>
  )
}

const itemClass =
  'active-item flex min-h-8 w-full shrink-0 items-center gap-2.5 rounded-md px-2 py-1.5 text-sm outline-none select-none aria-disabled:*:opacity-50 touch:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted-foreground'

export function MenuPanelItem({ children, onSelect, icon, checked, danger = false, disabledReason, keys, render }: MenuItemProps) {
  const menu = useMenuContext()
  const select = () => {
    // The trigger has the focus again before the action runs, so that a dialog that it opens returns the focus there.
    flushSync(() => menu?.hide())
    onSelect?.()
  }
  return (
    <Item
      {...(checked !== undefined && { role: 'menuitemradio', 'aria-checked': checked })}
      {...tooltip(disabledReason, { describes: true })}
      {...(render && { render })}
      disabled={disabledReason !== undefined}
      accessibleWhenDisabled
      className={cx(itemClass, danger && 'text-danger [&_svg]:text-danger')}
      onClick={select}
    >
      {icon}
      <span className="flex-1 truncate text-left">{children}</span>
      {keys && <span className="font-mono text-xs text-muted-foreground">{keys}</span>}
      {checked && <Check aria-hidden="true" />}
    </Item>
  )
}
