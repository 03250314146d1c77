/** A menu of actions. The library that shows it loads after the first paint, so its items are drawn by what `MenuPanel` provides. */
import { type ComponentType, createContext, type ReactElement, type ReactNode, use } from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import { type Placement, PopoverDisclosure, type TriggerProps } from './popover.tsx'

const MenuPanel = lazyPart(() => import('./overlay-panels.tsx').then((module) => module.MenuPanel))

type MenuProps = {
  readonly label: string
  readonly trigger: (props: TriggerProps) => ReactNode
  readonly children: ReactNode
  readonly placement?: Placement
  readonly className?: string
}

export const Menu = ({ children, ...props }: MenuProps) => (
  <PopoverDisclosure {...props} haspopup="menu" Panel={MenuPanel}>
    {() => children}
  </PopoverDisclosure>
)

export type MenuItemProps = {
  readonly children: ReactNode
  readonly onSelect?: () => void
  readonly icon?: ReactNode
  /** Set for switches and for items of a single choice. */
  readonly checked?: boolean
  /** Can be switched on and off independently of other items. The menu stays open. */
  readonly isSwitch?: boolean
  readonly danger?: boolean
  readonly disabledReason?: string | undefined
  readonly keys?: string
  /** The element of the item, for links. */
  readonly render?: ReactElement
}

export const MenuItemContext = createContext<ComponentType<MenuItemProps> | null>(null)

export function MenuItem(props: MenuItemProps) {
  const Item = use(MenuItemContext)
  return Item && <Item {...props} />
}

export function MenuSeparator() {
  return <hr className="-mx-1 my-1 border-border" />
}

export const menuLabelClass = 'px-2 pt-1.5 pb-1 text-xs text-muted-foreground max-sm:px-3'

export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return <div className={menuLabelClass}>{children}</div>
}
