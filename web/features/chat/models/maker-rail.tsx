import { Toolbar, ToolbarItem } from '@ariakit/react/toolbar'
import { Pin } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../../../lib/cx.ts'
import { MakerIcon, makerName } from '../../../ui/maker-icon.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { type CatalogueFilter, pinnedFilter } from './catalogue.ts'
import { t } from './texts/t.ts'

type MakerRailProps = {
  readonly makers: readonly string[]
  /** Null while a search covers all makers. */
  readonly filter: CatalogueFilter | null
  readonly onChoose: (filter: CatalogueFilter) => void
}

/** Pinned models first, then one icon for each maker. */
export function MakerRail({ makers, filter, onChoose }: MakerRailProps) {
  const item = (id: CatalogueFilter, label: string, icon: ReactNode) => (
    <ToolbarItem
      key={id}
      aria-label={label}
      aria-pressed={filter === id}
      {...tooltip(label)}
      className={cx(
        'flex size-9 shrink-0 items-center justify-center rounded-md transition-colors touch:size-11',
        filter === id ? 'bg-foreground/9 text-foreground' : 'text-muted-foreground hover:bg-foreground/6 hover:text-foreground',
      )}
      onClick={() => onChoose(id)}
    >
      {icon}
    </ToolbarItem>
  )
  return (
    <Toolbar aria-label={t('makers')} orientation="vertical" className="flex flex-col gap-0.5 overflow-y-auto border-r p-1.5">
      {item(pinnedFilter, t('pinned'), <Pin className="size-4" aria-hidden="true" />)}
      {makers.map((maker) => item(maker, makerName(maker), <MakerIcon maker={maker} className="size-[1.125rem]" />))}
    </Toolbar>
  )
}
