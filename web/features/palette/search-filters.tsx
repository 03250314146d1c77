/** The filters of the search, as commands with choices: the palette lists the choices and searches again with the chosen one. */
import { Blocks, CalendarDays, ChevronDown, Folder, MessageSquare, Paperclip, UserRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { dayMs } from '../../../worker/contract/access.ts'
import type { SearchFilter } from '../../../worker/contract/threads/search.ts'
import { cx } from '../../lib/cx.ts'
import { formatDate } from '../../lib/i18n/format-dates.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { useModels } from '../../sync/hooks.ts'
import { useProjects } from '../../sync/organise.ts'
import type { Command, CommandWithChoices } from '../../ui/command.ts'
import { MakerIcon } from '../../ui/maker-icon.tsx'
import { ProjectIcon } from '../../ui/project-icon.tsx'
import { t } from './texts/en.ts'

/** `value`: what is chosen, as the chip shows it. */
export type FilterCommand = CommandWithChoices & { readonly value: string | null }

type Option = {
  readonly id: string
  readonly title: string
  readonly icon: ReactNode
  readonly filter: SearchFilter
  readonly words?: string
}

const ages = [
  { key: 'lastDay', days: 1 },
  { key: 'lastWeek', days: 7 },
  { key: 'lastMonth', days: 30 },
  { key: 'lastYear', days: 365 },
] as const

/** `typed`: the text in the field, which may be a date. */
export function useSearchFilters(filter: SearchFilter, setFilter: (filter: SearchFilter) => void, typed: string): readonly FilterCommand[] {
  const { models } = useModels()
  const { projects } = useProjects()
  const nowMs = useServerNow()
  /** Options that set these fields and replace what they had before. The first choice removes the filter. */
  const command = (
    id: string,
    name: string,
    texts: { readonly ask: string; readonly any: string },
    icon: ReactNode,
    fields: readonly (keyof SearchFilter)[],
    options: readonly Option[],
  ): FilterCommand => {
    const others = Object.fromEntries(Object.entries(filter).filter(([field]) => !fields.includes(field as keyof SearchFilter)))
    const isSet = fields.some((field) => filter[field] !== undefined)
    const isChosen = (option: Option) => isSet && fields.every((field) => option.filter[field] === filter[field])
    const any: Command = { id: `${id}-any`, title: texts.any, icon, isChosen: !isSet, run: () => setFilter(others) }
    return {
      id: `filter-${id}`,
      title: name,
      icon,
      ask: texts.ask,
      value: isSet ? (options.find(isChosen)?.title ?? name) : null,
      choices: [
        any,
        ...options.map((option) => ({
          ...option,
          id: `${id}-${option.id}`,
          isChosen: isChosen(option),
          run: () => setFilter({ ...others, ...option.filter }),
        })),
      ],
    }
  }
  const calendar = <CalendarDays aria-hidden="true" />
  return [
    ...(projects.length > 0
      ? [
          command(
            'project',
            t('project'),
            { ask: t('whichProject'), any: t('anyProject') },
            <Folder aria-hidden="true" />,
            ['projectId'],
            projects.map(({ id, name, icon, color }) => ({
              id,
              title: name,
              icon: <ProjectIcon icon={icon} color={color} />,
              filter: { projectId: id },
            })),
          ),
        ]
      : []),
    command(
      'model',
      t('model'),
      { ask: t('whichModel'), any: t('anyModel') },
      <Blocks aria-hidden="true" />,
      ['modelId'],
      models.map(({ id, name, icon }) => ({ id, title: name, icon: <MakerIcon maker={icon} />, filter: { modelId: id } })),
    ),
    command(
      'date',
      t('date'),
      { ask: t('whichDate'), any: t('anyDate') },
      calendar,
      ['sinceMs', 'untilMs'],
      [
        ...datesIn(typed).map((option) => ({ ...option, icon: calendar, words: typed })),
        ...chosenDates(filter, nowMs).map((option) => ({ ...option, icon: calendar })),
      ],
    ),
    command(
      'role',
      t('author'),
      { ask: t('whichAuthor'), any: t('anyAuthor') },
      <UserRound aria-hidden="true" />,
      ['role'],
      [
        { id: 'user', title: t('byYou'), icon: <UserRound aria-hidden="true" />, filter: { role: 'user' } },
        { id: 'assistant', title: t('byModel'), icon: <MessageSquare aria-hidden="true" />, filter: { role: 'assistant' } },
      ],
    ),
    command(
      'files',
      t('files'),
      { ask: t('whichFiles'), any: t('anyFiles') },
      <Paperclip aria-hidden="true" />,
      ['hasFiles'],
      [{ id: 'some', title: t('hasFiles'), icon: <Paperclip aria-hidden="true" />, filter: { hasFiles: true } }],
    ),
  ]
}

type DateOption = Pick<Option, 'id' | 'title' | 'filter'>

/** A relative age is fixed when chosen. A date that the user typed becomes an option. */
function chosenDates({ sinceMs, untilMs }: SearchFilter, nowMs: number): readonly DateOption[] {
  const isOfDays = (days: number) => sinceMs !== undefined && untilMs === undefined && Math.abs(nowMs - days * dayMs - sinceMs) < dayMs / 2
  const recent = ages.map(({ key, days }) => ({
    id: key,
    title: t(key),
    filter: isOfDays(days) && sinceMs !== undefined ? { sinceMs } : { sinceMs: Math.floor(nowMs - days * dayMs) },
  }))
  if ((sinceMs === undefined && untilMs === undefined) || ages.some(({ days }) => isOfDays(days))) return recent
  return [
    {
      id: 'chosen',
      title: rangeTitle(sinceMs, untilMs),
      filter: { ...(sinceMs !== undefined && { sinceMs }), ...(untilMs !== undefined && { untilMs }) },
    },
    ...recent,
  ]
}

/** For a year, a month or a day in ISO format, such as 2026-05: within it, since and before. */
export function datesIn(typed: string): readonly DateOption[] {
  const [, year, month, day] = /^\s*(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?\s*$/.exec(typed) ?? []
  if (year === undefined) return []
  const [y, m, d] = [Number(year), month === undefined ? 0 : Number(month) - 1, day === undefined ? 1 : Number(day)]
  const start = new Date(y, m, d)
  if (start.getFullYear() !== y || start.getMonth() !== m || start.getDate() !== d || start.getTime() < 0) return []
  const end = day !== undefined ? new Date(y, m, d + 1) : month !== undefined ? new Date(y, m + 1, 1) : new Date(y + 1, 0, 1)
  const [sinceMs, untilMs] = [start.getTime(), end.getTime()]
  return [
    { id: 'within', title: rangeTitle(sinceMs, untilMs), filter: { sinceMs, untilMs } },
    { id: 'since', title: rangeTitle(sinceMs, undefined), filter: { sinceMs } },
    { id: 'before', title: rangeTitle(undefined, sinceMs), filter: { untilMs: sinceMs } },
  ]
}

function rangeTitle(sinceMs: number | undefined, untilMs: number | undefined): string {
  if (untilMs === undefined) return t('since', { date: formatDate(sinceMs ?? 0, 'medium') })
  if (sinceMs === undefined) return t('before', { date: formatDate(untilMs, 'medium') })
  const [first, last] = [formatDate(sinceMs, 'medium'), formatDate(untilMs - 1, 'medium')]
  return first === last ? first : t('range', { first, last })
}

type FilterChipsProps = { readonly filters: readonly FilterCommand[]; readonly onOpen: (filter: FilterCommand) => void }

/** The filters below the field of the palette. A press lists the choices of a filter in the palette. */
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
