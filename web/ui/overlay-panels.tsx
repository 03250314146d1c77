/** The open dialog, popover and menu. In small windows they are sheets at the lower edge. Loads after the first paint. */

import { Dialog } from '@ariakit/react/dialog'
import { MenuItem as Item, Menu, MenuButton, MenuGroup, MenuGroupLabel, useMenuContext, useMenuStore } from '@ariakit/react/menu'
import { Popover, usePopoverStore } from '@ariakit/react/popover'
import { useStoreState } from '@ariakit/react/store'
import { Check, ChevronRight, X } from 'lucide-react'
import {
  type ComponentProps,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { cx } from '../lib/cx.ts'
import { libText } from '../lib/texts/en.ts'
import { smallWindow, useMedia } from '../lib/viewport.ts'
import { DialogFooter, type DialogProps } from './dialog.tsx'
import { IconButton } from './icon-button.tsx'
import { MenuItemContext, type MenuItemProps, menuLabelClass } from './menu.tsx'
import type { PanelProps, Placement } from './popover.tsx'
import { tooltip } from './tooltip.tsx'

/*
 * The base of dialogs. Mounted only while open, so its content starts fresh every time. One button inside has
 * `data-dialog-dismiss`: for a dialog without it, Ariakit adds a hidden button with an English name.
 */

type ModalProps = Pick<
  ComponentProps<typeof Dialog>,
  'aria-label' | 'aria-labelledby' | 'aria-describedby' | 'autoFocusOnShow' | 'children' | 'className' | 'onKeyDown' | 'role'
> & { readonly onClose: () => void; readonly hasBackdrop?: boolean }

const backdrop = <div className="animate-appear bg-black/45" />

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
      backdrop={hasBackdrop && backdrop}
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

/* The open content of a popover. */

/** Chosen: the distance between the trigger and the content. */
export const gutterPx = 8

export const panelClass =
  'z-50 max-h-(--popover-available-height) rounded-lg bg-raised text-left text-sm font-normal text-foreground shadow-float outline-none animate-rise'

/*
 * In small windows, popovers and menus are sheets at the lower edge, as dialogs are. The trigger still gets the focus when they close.
 */

type Panel = Pick<ComponentProps<typeof Popover>, 'gutter' | 'backdrop' | 'updatePosition' | 'wrapperProps' | 'className'> & {
  /** At the lower end of the window, where toasts are on narrow windows (toasts.css). */
  readonly 'data-at-bottom'?: true
}

const sheet: Panel = {
  'data-at-bottom': true,
  backdrop,
  // The library would place it beside its trigger.
  updatePosition: () => {},
  wrapperProps: {
    style: {
      position: 'fixed',
      top: 'auto',
      right: 0,
      bottom: 'calc(100dvh - var(--visible-height, 100dvh))',
      left: 0,
      width: 'auto',
      transform: 'none',
    },
  },
}

const sheetClass =
  'max-h-(--popover-available-height)! w-full! max-w-none! animate-sheet! overscroll-contain rounded-t-2xl! rounded-b-none! pt-6! pb-[max(0.5rem,env(safe-area-inset-bottom))]! [--popover-available-height:calc(0.85*var(--visible-height,100dvh))]'

const usePanel = (className: string | undefined, placement: Placement): Panel & { readonly isSheet: boolean } => {
  const isSheet = useMedia(smallWindow)
  if (isSheet) return { isSheet, ...sheet, className: cx(panelClass, className, sheetClass) }
  return {
    isSheet,
    gutter: gutterPx,
    className: cx(panelClass, className),
    ...(placement.startsWith('top') && { 'data-at-bottom': true }),
  }
}

/** Chosen: a sheet that is dragged down farther closes. */
const closingPx = 64

/** The upper edge of a sheet. Dragged down, it closes the sheet. */
function Grabber({ onClose }: { readonly onClose: () => void }) {
  const startRef = useRef(0)
  const moveTo = ({ currentTarget, pointerId, clientY }: PointerEvent<HTMLElement>, isReleased: boolean) => {
    if (!currentTarget.hasPointerCapture(pointerId)) return
    const downPx = Math.max(0, clientY - startRef.current)
    if (currentTarget.parentElement) currentTarget.parentElement.style.translate = isReleased ? '' : `0 ${downPx}px`
    if (isReleased && downPx > closingPx) onClose()
  }
  return (
    <div
      aria-hidden="true"
      className="absolute inset-x-0 top-0 flex h-6 touch-none items-center justify-center before:h-1 before:w-9 before:rounded-full before:bg-foreground/25"
      onPointerDown={({ currentTarget, pointerId, clientY }) => {
        startRef.current = clientY
        currentTarget.setPointerCapture(pointerId)
      }}
      onPointerMove={(event) => moveTo(event, false)}
      onPointerUp={(event) => moveTo(event, true)}
      onPointerCancel={({ currentTarget }) => currentTarget.parentElement?.style.removeProperty('translate')}
    />
  )
}

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
  const { isSheet, ...panel } = usePanel(className, placement)
  return (
    <Popover {...panel} store={store} id={id} aria-label={label} portal hideOnEscape={acceptEscape}>
      {isSheet && <Grabber onClose={onClose} />}
      {children}
    </Popover>
  )
}

/* The open menu and its items. */

const menuClass = 'flex min-w-44 flex-col overflow-y-auto p-1 max-sm:px-2'

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
  const { isSheet, ...panel } = usePanel(cx(menuClass, className), placement)
  // The button has the focus when the browser moves it, so that Tab goes on from there.
  const closeOnTab = ({ key }: KeyboardEvent) => {
    if (key === 'Tab') flushSync(() => store.hide())
  }
  return (
    <MenuItemContext value={MenuPanelItem}>
      <Menu
        {...panel}
        store={store}
        id={id}
        aria-label={label}
        portal
        // Within the landmark of the button: screen readers list content outside landmarks as lost.
        portalElement={() => triggerRef.current?.closest<HTMLElement>(landmarks) ?? document.body}
        preserveTabOrder={false}
        onKeyDown={closeOnTab}
        hideOnEscape={acceptEscape}
        initialFocus={initialFocus}
      >
        {isSheet && <Grabber onClose={onClose} />}
        {children}
      </Menu>
    </MenuItemContext>
  )
}

const itemClass =
  'active-item flex min-h-8 w-full shrink-0 items-center gap-2.5 rounded-md px-2 py-1.5 text-sm outline-none select-none aria-disabled:*:opacity-50 max-sm:min-h-12 max-sm:gap-3.5 max-sm:px-3 max-sm:text-base sm:touch:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted-foreground'

export function MenuPanelItem({
  children,
  onSelect,
  icon,
  checked,
  isSwitch = false,
  danger = false,
  disabledReason,
  keys,
  render,
}: MenuItemProps) {
  const menu = useMenuContext()
  const select = () => {
    // The trigger has the focus again before the action runs, so that a dialog that it opens returns the focus there.
    if (!isSwitch) flushSync(() => menu?.hideAll())
    onSelect?.()
  }
  return (
    <Item
      {...(checked !== undefined && { role: isSwitch ? 'menuitemcheckbox' : 'menuitemradio', 'aria-checked': checked })}
      {...tooltip(disabledReason, { describes: true })}
      {...(render && { render })}
      disabled={disabledReason !== undefined}
      accessibleWhenDisabled
      hideOnClick={!isSwitch}
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

type SubmenuProps = { readonly label: string; readonly icon: ReactNode; readonly children: ReactNode }

/** An item that opens a menu next to it. In a sheet, its items are below its label. */
export function Submenu({ label, icon, children }: SubmenuProps) {
  const store = useMenuStore({ placement: 'right-start', focusLoop: true })
  const { isSheet, ...panel } = usePanel(menuClass, 'bottom-start')
  if (isSheet)
    return (
      <MenuGroup>
        <MenuGroupLabel className={menuLabelClass}>{label}</MenuGroupLabel>
        {children}
      </MenuGroup>
    )
  return (
    <>
      <MenuButton store={store} render={<Item />} className={cx(itemClass, 'aria-expanded:bg-foreground/5')}>
        {icon}
        <span className="flex-1 truncate text-left">{label}</span>
        <ChevronRight aria-hidden="true" />
      </MenuButton>
      <Menu {...panel} store={store} aria-label={label} portal hideOnEscape={acceptEscape}>
        {children}
      </Menu>
    </>
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
        'm-auto mb-0 h-fit max-h-[calc(var(--dialog-viewport-height)-max(1rem,env(safe-area-inset-top)))] animate-sheet overflow-y-auto rounded-t-2xl bg-raised p-5 pb-(--end) text-foreground shadow-float [--end:max(1.25rem,env(safe-area-inset-bottom))] has-[footer]:scroll-pb-20 sm:mb-auto sm:max-h-[min(85dvh,calc(var(--dialog-viewport-height)-1rem))] sm:w-[min(26rem,calc(100vw-2rem))] sm:animate-rise sm:rounded-xl sm:[--end:1.25rem]',
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
