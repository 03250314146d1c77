import { Toolbar, ToolbarItem } from '@ariakit/react/toolbar'
import { Pin } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { cx } from '../../../lib/cx.ts'
import { MakerIcon, makerName } from '../../../ui/maker-icon.tsx'
import { useScrollEdges } from '../../../ui/use-scroll-edges.ts'
import { type CatalogueFilter, pinnedFilter } from './catalogue.ts'
import { t } from './texts/en.ts'

type MakerRailProps = {
  readonly makers: readonly string[]
  /** Null while a search covers all makers. */
  readonly filter: CatalogueFilter | null
  readonly onChoose: (filter: CatalogueFilter) => void
}

/** Pinned models first, then each maker; on narrow windows without the names. */
export function MakerRail({ makers, filter, onChoose }: MakerRailProps) {
  const railRef = useRef<HTMLDivElement>(null)
  useScrollEdges(railRef)
  const item = (id: CatalogueFilter, label: string, icon: ReactNode) => (
    <ToolbarItem
      key={id}
      aria-label={label}
      aria-pressed={filter === id}
      className={cx(
        'flex h-9 w-9 shrink-0 scroll-my-6 items-center gap-2.5 rounded-md text-sm transition-colors max-sm:justify-center sm:w-full sm:px-2.5 touch:h-11 max-sm:touch:w-11',
        filter === id ? 'bg-foreground/9 text-foreground' : 'text-muted-foreground hover:bg-foreground/6 hover:text-foreground',
      )}
      onClick={() => onChoose(id)}
    >
      {icon}
      <span className="truncate max-sm:hidden">{label}</span>
    </ToolbarItem>
  )
  return (
    <Toolbar
      ref={railRef}
      aria-label={t('makers')}
      orientation="vertical"
      className="flex shrink-0 scroll-fade flex-col gap-0.5 overflow-y-auto border-r p-1.5 [scrollbar-width:none] sm:w-40"
    >
      {item(pinnedFilter, t('pinned'), <Pin className="size-4" aria-hidden="true" />)}
      {makers.map((maker) => item(maker, makerName(maker), <MakerIcon maker={maker} className="size-[1.125rem]" />))}
    </Toolbar>
  )
}
