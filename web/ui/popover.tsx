/**
 * Content that floats beside its trigger, on the platform's popover: top layer, light dismissal and Escape come with it.
 * The trigger is a render function that receives the props it must spread; content is mounted only while open.
 */
import { type ReactNode, type RefObject, useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { cx } from '../lib/cx.ts'
import { PartBoundary } from './part-boundary.tsx'
import { type Align, place, type Side } from './place.ts'

export type TriggerProps = {
  readonly ref: RefObject<HTMLButtonElement | null>
  readonly 'aria-expanded': boolean
  readonly 'aria-haspopup': 'dialog' | 'menu' | 'listbox'
  readonly 'aria-controls': string | undefined
  readonly onPointerDown: () => void
  readonly onClick: () => void
}

export type PopoverProps = {
  readonly trigger: (props: TriggerProps) => ReactNode
  readonly children: ReactNode | ((close: () => void) => ReactNode)
  readonly label: string
  readonly side?: Side
  readonly align?: Align
  readonly className?: string
  readonly role?: 'dialog' | 'menu' | 'listbox'
  readonly open?: boolean
  readonly onOpenChange?: (open: boolean) => void
}

export function Popover(props: PopoverProps) {
  const { trigger, children, label, side = 'bottom', align = 'start', className, role = 'dialog' } = props
  const [ownOpen, setOwnOpen] = useState(false)
  const open = props.open ?? ownOpen
  const { onOpenChange } = props
  const triggerRef = useRef<HTMLButtonElement>(null)
  /** A press on the trigger dismisses the open box before its click arrives; that click must not open it again. */
  const wasOpenRef = useRef(false)
  const id = useId()

  const setOpen = useCallback(
    (next: boolean) => {
      setOwnOpen(next)
      onOpenChange?.(next)
    },
    [onOpenChange],
  )
  const close = useCallback(() => {
    setOpen(false)
    triggerRef.current?.focus()
  }, [setOpen])
  const dismiss = useCallback(() => setOpen(false), [setOpen])

  return (
    <>
      {trigger({
        ref: triggerRef,
        'aria-expanded': open,
        'aria-haspopup': role,
        'aria-controls': open ? id : undefined,
        onPointerDown: () => {
          wasOpenRef.current = open
        },
        onClick: () => {
          setOpen(!open && !wasOpenRef.current)
          wasOpenRef.current = false
        },
      })}
      {open && (
        <PartBoundary part="menu" onClose={close}>
          <Floating
            id={id}
            role={role}
            label={label}
            anchorRef={triggerRef}
            side={side}
            align={align}
            className={className}
            onDismiss={dismiss}
          >
            {typeof children === 'function' ? children(close) : children}
          </Floating>
        </PartBoundary>
      )}
    </>
  )
}

type FloatingProps = {
  readonly id: string
  readonly role: string
  readonly label: string
  readonly anchorRef: RefObject<Element | null>
  readonly side: Side
  readonly align: Align
  readonly className: string | undefined
  readonly onDismiss: () => void
  readonly children: ReactNode
}

function Floating({ id, role, label, anchorRef, side, align, className, onDismiss, children }: FloatingProps) {
  const ref = useRef<HTMLDivElement>(null)

  useLayoutEffect(() => {
    const floating = ref.current
    if (!floating) return
    floating.showPopover()
    const reposition = () => anchorRef.current && place(floating, anchorRef.current, { side, align })
    reposition()
    const observer = new ResizeObserver(reposition)
    observer.observe(floating)
    window.addEventListener('resize', reposition)
    // Focus goes inside: to what asks for it, else to the first control, else to the box itself.
    const target =
      floating.querySelector<HTMLElement>('[data-autofocus]') ?? floating.querySelector<HTMLElement>('input, button, a, [tabindex="0"]')
    ;(target ?? floating).focus({ preventScroll: true })
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', reposition)
    }
  }, [anchorRef, side, align])

  useEffect(() => {
    const floating = ref.current
    const onToggle = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') onDismiss()
    }
    floating?.addEventListener('toggle', onToggle)
    return () => floating?.removeEventListener('toggle', onToggle)
  }, [onDismiss])

  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role comes from the caller and is one that has a name
    <div
      ref={ref}
      id={id}
      popover="auto"
      role={role}
      aria-label={label}
      tabIndex={-1}
      className={cx(
        'pointer-events-auto rounded-lg bg-raised text-left text-sm font-normal text-foreground shadow-float outline-none open:animate-rise',
        className,
      )}
    >
      {children}
    </div>
  )
}
