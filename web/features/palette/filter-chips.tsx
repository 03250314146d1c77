/** The filters below the field of the palette. A press lists the choices of a filter in the palette. */
import { ChevronDown } from 'lucide-react'
import { cx } from '../../lib/cx.ts'
import type { FilterCommand } from './search-filters.tsx'
import { t } from './texts/en.ts'

type FilterChipsProps = { readonly filters: readonly FilterCommand[]; readonly onOpen: (filter: FilterCommand) => void }

export function FilterChips({ filters, onOpen }: FilterChipsProps) {
  return (
    <fieldset aria-label={t('filters')} className="flex shrink-0 gap-1.5 overflow-x-auto border-b px-3 py-2 [scrollbar-width:none]">
      {filters.map((filter) => (
        <button
          key={filter.id}
          type="button"
          aria-label={filter.value === null ? filter.title : t('filterIs', { filter: filter.title, value: filter.value })}
          onClick={() => onOpen(filter)}
          className={cx(
            'flex h-7 max-w-48 shrink-0 touch-target items-center gap-1 rounded-full border px-2.5 text-xs transition-colors hover:bg-foreground/8 touch:h-9',
            filter.value === null ? 'text-muted-foreground' : 'border-accent bg-accent/12 text-foreground',
          )}
        >
          <span className="truncate">{filter.value ?? filter.title}</span>
          <ChevronDown aria-hidden="true" className="size-3 shrink-0" />
        </button>
      ))}
    </fieldset>
  )
}
