/**
 * A button that opens content beside it. The trigger is a render function that receives the props that it must spread. The library that
 * places the content and handles its keys and focus loads after the first paint; content is mounted only while open.
 */
import { type ComponentType, type KeyboardEvent, type ReactNode, type RefObject, useCallback, useId, useRef, useState } from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import { SectionErrorBoundary } from './section-error-boundary.tsx'

export type TriggerProps = {
  readonly ref: RefObject<HTMLButtonElement | null>
  readonly 'aria-expanded': boolean
  readonly 'aria-haspopup': 'dialog' | 'menu'
  readonly 'aria-controls': string | undefined
  readonly onClick: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

/** The library's names: a side of the trigger, and the edge of the trigger at which the content starts or ends. */
export type Placement = `${'top' | 'bottom'}-${'start' | 'end'}`

type Content = {
  readonly label: string
  readonly placement?: Placement
  readonly className?: string
}

export type PanelProps = Content & {
  readonly id: string
  readonly triggerRef: RefObject<HTMLButtonElement | null>
  readonly onClose: () => void
  /** The item of a menu that gets the focus. Without it, the chosen item or the first one. */
  readonly startsAt: 'last' | undefined
  readonly children: ReactNode
}

type DisclosureProps = Content & {
  readonly trigger: (props: TriggerProps) => ReactNode
  readonly children: (close: () => void) => ReactNode
  readonly haspopup: 'dialog' | 'menu'
  readonly Panel: ComponentType<PanelProps>
}

/** What a popover and a menu have in common: the trigger, and the place of the panel. */
export function PopoverDisclosure({ trigger, children, haspopup, Panel, ...content }: DisclosureProps) {
  const [isOpen, setOpen] = useState(false)
  const [startsAt, setStartsAt] = useState<'last'>()
  const triggerRef = useRef<HTMLButtonElement>(null)
  const id = useId()
  const close = useCallback(() => setOpen(false), [])
  const open = (at?: 'last') => {
    setStartsAt(at)
    setOpen(true)
  }
  return (
    <>
      {trigger({
        ref: triggerRef,
        'aria-expanded': isOpen,
        'aria-haspopup': haspopup,
        'aria-controls': isOpen ? id : undefined,
        onClick: () => (isOpen ? close() : open()),
        // As in the pattern for menu buttons. The library is not loaded yet.
        onKeyDown: (event) => {
          if (haspopup !== 'menu' || isOpen || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
          event.preventDefault()
          open(event.key === 'ArrowUp' ? 'last' : undefined)
        },
      })}
      {isOpen && (
        <SectionErrorBoundary part="menu" onClose={close}>
          <Panel {...content} id={id} triggerRef={triggerRef} onClose={close} startsAt={startsAt}>
            {children(close)}
          </Panel>
        </SectionErrorBoundary>
      )}
    </>
  )
}

export const PopoverPanel = lazyPart(() => import('./overlay-panels.tsx').then((module) => module.PopoverPanel))

export const Popover = (props: Omit<DisclosureProps, 'haspopup' | 'Panel'>) => (
  <PopoverDisclosure {...props} haspopup="dialog" Panel={PopoverPanel} />
)
