/** The open dialog: title, description, content and buttons. Loads after the first paint. */

import { Dialog } from '@ariakit/react/dialog'
import { MenuItem as Item, Menu, useMenuContext, useMenuStore } from '@ariakit/react/menu'
import { Popover, usePopoverStore } from '@ariakit/react/popover'
import { useStoreState } from '@ariakit/react/store'
import { Check, X } from 'lucide-react'
import { type ComponentProps, type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { cx } from '../lib/cx.ts'
import { libText } from '../lib/texts/en.ts'
import { DialogFooter, type DialogProps } from './dialog.tsx'
import { IconButton } from './icon-button.tsx'
import { MenuItemContext, type MenuItemProps } from './menu.tsx'
import type { PanelProps } from './popover.tsx'
import { tooltip } from './tooltip.tsx'

/*
 * The base of dialogs. Mounted only while open, so its content starts fresh every time. Loads after the first paint. One button inside has
 * `data-dialog-dismiss`: for a dialog without it, Ariakit adds a hidden button with an English name.
 */

type ModalProps = Pick<
  ComponentProps<typeof Dialog>,
  'aria-label' | 'aria-labelledby' | 'aria-describedby' | 'autoFocusOnShow' | 'children' | 'className' | 'onKeyDown' | 'role'
> & { readonly onClose: () => void; readonly hasBackdrop?: boolean }

/** The area above the on-screen keyboard; `fixed` alone covers the keyboard too. */
const visibleWindow = 'fixed inset-x-0 top-0 bottom-[calc(100dvh-var(--dialog-viewport-height,100dvh))]'

export function Modal({ onClose, hasBackdrop = true, className, ...rest }: ModalProps) {
  useCloseRequest(onClose)
  return (
    <Dialog
      {...rest}
      open
      onClose={onClose}
      aria-modal="true"
      backdrop={hasBackdrop && <div className="animate-appear bg-black/45" />}
      hideOnEscape={acceptEscape}
      // Toasts can be used above a dialog.
      getPersistentElements={() => document.querySelectorAll('[data-sonner-toaster]')}
      className={cx(visibleWindow, 'z-50 outline-none', className)}
    />
  )
}

/** For `hideOnEscape`: the page's own shortcuts ignore an Escape that has closed an overlay. */
const acceptEscape = (event: { preventDefault: () => void }): boolean => {
  event.preventDefault()
  return true
}

/** The Back gesture of Android closes the overlay instead of leaving the page. Other browsers have no `CloseWatcher`. */
function useCloseRequest(onClose: () => void): void {
  useEffect(() => {
    if (!('CloseWatcher' in window)) return undefined
    const watcher = new CloseWatcher()
    watcher.onclose = onClose
    return () => watcher.destroy()
  }, [onClose])
}

/* The open content of a popover. Loads after the first paint. */

/** Chosen: the distance between the trigger and the content. */
export const gutterPx = 8

export const panelClass =
  'z-50 max-h-(--popover-available-height) rounded-lg bg-raised text-left text-sm font-normal text-foreground shadow-float outline-none animate-rise'

type AnchoredStore = {
  readonly setAnchorElement: (element: HTMLElement | null) => void
  readonly setDisclosureElement: (element: HTMLElement | null) => void
}

/**
 * The trigger is outside the library's components. It is the anchor, unless its `data-anchor` selects an element around it, which the content
 * must not cover. It gets the focus when the content closes.
 */
function useTrigger({ setAnchorElement, setDisclosureElement }: AnchoredStore, triggerRef: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const trigger = triggerRef.current
    setAnchorElement(trigger?.closest<HTMLElement>(trigger.dataset.anchor ?? '*') ?? null)
    setDisclosureElement(triggerRef.current)
  }, [setAnchorElement, setDisclosureElement, triggerRef])
}

export function PopoverPanel({ id, label, triggerRef, placement = 'bottom-start', className, onClose, children }: PanelProps) {
  const store = usePopoverStore({ defaultOpen: true, setOpen: (isOpen) => !isOpen && onClose(), placement })
  useTrigger(store, triggerRef)
  useCloseRequest(onClose)
  return (
    <Popover
      store={store}
      id={id}
      aria-label={label}
      portal
      gutter={gutterPx}
      hideOnEscape={acceptEscape}
      className={cx(panelClass, className)}
    >
      {children}
    </Popover>
  )
}

/* The open menu and its items. Loads after the first paint. */

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

/** A field gets the focus before the Close button, which is first in the document. */
function focusField(first: HTMLElement | null): boolean {
  const field = first?.closest('[data-dialog]')?.querySelector<HTMLElement>('input, textarea')
  field?.focus()
  return !field
}

export function DialogPanel({ onClose, title, description, children, footer, className, role = 'dialog' }: Omit<DialogProps, 'open'>) {
  const titleId = useId()
  const descriptionId = useId()
  return (
    <Modal
      role={role}
      aria-labelledby={titleId}
      aria-describedby={description ? descriptionId : undefined}
      autoFocusOnShow={focusField}
      onClose={onClose}
      className={cx(
        'm-auto h-fit max-h-[calc(var(--dialog-viewport-height)-1rem)] w-[min(26rem,calc(100vw-2rem))] animate-rise overflow-y-auto rounded-xl bg-raised p-5 has-[footer]:scroll-pb-20 text-foreground shadow-float sm:max-h-[min(85dvh,calc(var(--dialog-viewport-height)-1rem))]',
        className,
      )}
    >
      <header className="flex items-start justify-between gap-4">
        <h2 id={titleId} className="text-base font-semibold text-balance">
          {title}
        </h2>
        {role === 'dialog' && (
          <IconButton label={libText('close')} data-dialog-dismiss size="sm" className="-mt-0.5 -mr-1" onClick={onClose}>
            <X />
          </IconButton>
        )}
      </header>
      {description && (
        <div id={descriptionId} className="mt-1.5 text-muted-foreground text-pretty">
          {description}
        </div>
      )}
      {children}
      {footer && <DialogFooter>{footer}</DialogFooter>}
    </Modal>
  )
}
