import { Toolbar, ToolbarItem } from '@ariakit/react/toolbar'
import { Pin } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../../../lib/cx.ts'
import { MakerIcon, makerName } from '../../../ui/maker-icon.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { pinnedShelf, type Shelf } from './catalogue.ts'

type MakerRailProps = {
  readonly makers: readonly string[]
  /** Null while a search covers all makers. */
  readonly shelf: Shelf | null
  readonly onChoose: (shelf: Shelf) => void
}

/** Pinned models first, then one icon for each maker. */
export function MakerRail({ makers, shelf, onChoose }: MakerRailProps) {
  const item = (id: Shelf, label: string, icon: ReactNode) => (
    <ToolbarItem
      key={id}
      aria-label={label}
      aria-pressed={shelf === id}
      {...tooltip(label)}
      className={cx(
        'flex size-9 shrink-0 items-center justify-center rounded-md transition-colors touch:size-11',
        shelf === id ? 'bg-foreground/9 text-foreground' : 'text-muted-foreground hover:bg-foreground/6 hover:text-foreground',
      )}
      onClick={() => onChoose(id)}
    >
      {icon}
    </ToolbarItem>
  )
  return (
    <Toolbar aria-label="Makers" orientation="vertical" className="flex flex-col gap-0.5 overflow-y-auto border-r p-1.5">
      {item(pinnedShelf, 'Pinned', <Pin className="size-4" aria-hidden="true" />)}
      {makers.map((maker) => item(maker, makerName(maker), <MakerIcon maker={maker} className="size-[1.125rem]" />))}
    </Toolbar>
  )
}
