/** The open content of a popover. Loads after the first paint. */
import { Popover, usePopoverStore } from '@ariakit/react/popover'
import { type RefObject, useLayoutEffect } from 'react'
import { cx } from '../lib/cx.ts'
import { acceptEscape, useCloseRequest } from './modal.tsx'
import type { PanelProps } from './popover.tsx'

/** Chosen: the distance between the trigger and the content. */
export const gutterPx = 6

export const panelClass =
  'z-50 max-h-(--popover-available-height) rounded-lg bg-raised text-left text-sm font-normal text-foreground shadow-float outline-none animate-rise'

type AnchoredStore = {
  readonly setAnchorElement: (element: HTMLElement | null) => void
  readonly setDisclosureElement: (element: HTMLElement | null) => void
}

/** The trigger is outside the library's components. It is the anchor, and gets the focus when the content closes. */
export function useTrigger({ setAnchorElement, setDisclosureElement }: AnchoredStore, triggerRef: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    setAnchorElement(triggerRef.current)
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
