/** The use of the user: the counts of today and of the month, limits of the user, and a year by day, model and project. */
import { Activity } from 'lucide-react'
import { useMemo, useState } from 'react'
import { creditState, creditsThisMonth, dayMs, dayOf, modeAllowance, type Plan } from '../../../../worker/contract/access.ts'
import { creditsPerDay, maxOwnCreditLimit, usageWarningRatio } from '../../../../worker/contract/limits.ts'
import type { SettingArgs } from '../../../../worker/contract/mutators.ts'
import { cx } from '../../../lib/cx.ts'
import { formatDate } from '../../../lib/i18n/format-dates.ts'
import { formatLocale, formatNumber } from '../../../lib/i18n/intl-format.ts'
import { resetTime } from '../../../lib/reset-time.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import { useMe, useModels } from '../../../sync/hooks.ts'
import { useProjects } from '../../../sync/organise.ts'
import type { Me, UsageRow } from '../../../sync/rows.ts'
import { useDailyUse } from '../../../sync/usage.ts'
import { AutosavedField } from '../../../ui/autosaved-field.tsx'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Meter } from '../../../ui/meter.tsx'
import { Section } from '../../../ui/section.tsx'
import { LoadingBlock } from '../../../ui/skeleton.tsx'
import { useSaveSetting } from '../settings-frame.tsx'
import { t } from './texts/en.ts'
import { UseChart } from './use-chart.tsx'
import {
  barStarts,
  barsOf,
  csvOf,
  isoDay,
  isUsed,
  monthBefore,
  type Period,
  periods,
  type Sum,
  sumsBy,
  totalOf,
  type Used,
} from './use-sums.ts'

export function UsagePage() {
  const me = useMe()
  const nowMs = useServerNow()
  if (!me) return <LoadingBlock className="h-96" />
  return (
    <>
      <Counts plan={me.plan} usage={me.usage} nowMs={nowMs} />
      <Limits me={me} />
      <History today={dayOf(nowMs)} />
    </>
  )
}

type CountsProps = { readonly plan: Plan; readonly usage: UsageRow | undefined; readonly nowMs: number }

function Counts({ plan, usage, nowMs }: CountsProps) {
  const { used, limit } = creditState(plan, usage, nowMs)
  const searches = modeAllowance('search', plan, usage, nowMs)
  const usedThisMonth = creditsThisMonth(usage, nowMs)
  const monthLimit = usage?.monthlyCreditLimit
  return (
    <div className="mb-10">
      <div className="grid gap-3 sm:grid-cols-2">
        <Count title={t('today')} meter={t('creditsToday')} used={used} limit={limit}>
          {t('searchesOf', { used: searches.used, limit: searches.limit })}
        </Count>
        <Count title={t('thisMonth')} meter={t('creditsThisMonth')} used={usedThisMonth} limit={monthLimit ?? null}>
          {monthLimit == null ? t('noLimit') : null}
        </Count>
      </div>
      <p className="mt-3 text-muted-foreground text-pretty">
        {t('resets', { time: resetTime(nowMs), date: formatDate(monthBefore(dayOf(nowMs), -1) * dayMs, 'long') })}
      </p>
    </div>
  )
}

type CountProps = {
  readonly title: string
  readonly meter: string
  readonly used: number
  readonly limit: number | null
  readonly children: string | null
}

const Count = ({ title, meter, used, limit, children }: CountProps) => (
  <section aria-label={title} className="rounded-lg border p-4">
    <h2 className="text-muted-foreground">{title}</h2>
    <p className="mt-1 text-lg font-semibold tabular-nums">
      {limit === null ? t('creditsUsed', { used }) : t('creditsOf', { used, limit })}
    </p>
    {limit !== null && (
      <Meter
        label={meter}
        value={used}
        max={limit}
        tone={used >= limit * usageWarningRatio ? 'warning' : 'accent'}
        className="mt-2.5 h-1.5"
      />
    )}
    {children !== null && <p className="mt-2 text-muted-foreground tabular-nums">{children}</p>}
  </section>
)

function Limits({ me: { plan, setting } }: { readonly me: Me }) {
  const save = useSaveSetting()
  const saveLimit = (name: 'dailyCreditLimit' | 'monthlyCreditLimit') => async (text: string) => {
    const limit = limitIn(text)
    if (limit === undefined) return t('wholeNumber', { max: maxOwnCreditLimit })
    const changes: SettingArgs = { [name]: limit }
    return save(changes)
  }
  const field = { maxChars: 12, autoComplete: 'off', inputMode: 'numeric', placeholder: t('noLimit') } as const
  return (
    <Section title={t('limits')} description={t('limitsDescription')}>
      <div className="grid gap-4 sm:grid-cols-2">
        <AutosavedField
          {...field}
          label={t('dailyLimit')}
          description={t('dailyLimitDescription', { limit: creditsPerDay[plan] })}
          saved={textOf(setting?.dailyCreditLimit)}
          save={saveLimit('dailyCreditLimit')}
        />
        <AutosavedField
          {...field}
          label={t('monthlyLimit')}
          description={t('monthlyLimitDescription')}
          saved={textOf(setting?.monthlyCreditLimit)}
          save={saveLimit('monthlyCreditLimit')}
        />
      </div>
    </Section>
  )
}

const textOf = (limit: number | null | undefined): string => (limit == null ? '' : String(limit))

/** Null: no limit. Undefined: the text is not a limit. */
export function limitIn(text: string): number | null | undefined {
  if (text === '') return null
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  return limit >= 1 && limit <= maxOwnCreditLimit ? limit : undefined
}

const measures = ['credits', 'searches'] as const
const groupings = ['byModel', 'byProject', 'byDay'] as const

function History({ today }: { readonly today: number }) {
  const [period, setPeriod] = useState<Period>('days30')
  const [measure, setMeasure] = useState<(typeof measures)[number]>('credits')
  const { rows, isComplete } = useDailyUse(barStarts('months12', today)[0] ?? today)
  const names = useNames()
  const starts = barStarts(period, today)
  const shown = useMemo(() => rows.filter((row) => row.day >= (starts[0] ?? today) && isUsed(row)), [rows, starts, today])
  const bars = barsOf(shown, starts).map(({ start, sum }) => ({ key: start, name: barName(period, start), value: sum[measure] }))
  const total = totalOf(shown)[measure]
  const valueText = (value: number) => t(measure === 'credits' ? 'creditsUsed' : 'searchesUsed', { used: value })
  const download = () => {
    const csv = csvOf(rows.filter(isUsed), names)
    saveFile(new Blob([csv], { type: 'text/csv;charset=utf-8' }), `${t('fileName')}-${isoDay(today)}.csv`)
  }
  return (
    <Section
      title={t('history')}
      description={t('historyDescription')}
      action={rows.length > 0 && <Button onClick={download}>{t('download')}</Button>}
    >
      <div className="mb-4 flex flex-wrap justify-between gap-3">
        <Choices label={t('period')} values={periods} chosen={period} nameOf={(value) => t(value)} onChoose={setPeriod} />
        <Choices label={t('shown')} values={measures} chosen={measure} nameOf={(value) => t(value)} onChoose={setMeasure} />
      </div>
      {shown.length === 0 ? (
        <EmptyState icon={Activity} isLoading={!isComplete}>
          {t('nothingUsed')}
        </EmptyState>
      ) : (
        <>
          <UseChart
            key={period}
            label={t('chart', { measure: t(measure), from: bars[0]?.name ?? '', to: bars.at(-1)?.name ?? '', total })}
            bars={bars}
            summary={valueText(total)}
            valueText={valueText}
          />
          <UseTable rows={shown} names={names} measure={measure} />
        </>
      )}
    </Section>
  )
}

type Names = ReturnType<typeof useNames>

function useNames() {
  const { models } = useModels()
  const { projects, isComplete } = useProjects()
  return {
    model: (id: string): string => models.find((model) => model.id === id)?.name ?? id,
    project: (id: string | null | undefined): string => {
      if (id == null) return t('noProject')
      return projects.find((project) => project.id === id)?.name ?? (isComplete ? t('deletedProject') : '')
    },
  }
}

type ChoicesProps<Value extends string> = {
  readonly label: string
  readonly values: readonly Value[]
  readonly chosen: Value
  readonly nameOf: (value: Value) => string
  readonly onChoose: (value: Value) => void
}

const Choices = <Value extends string>({ label, values, chosen, nameOf, onChoose }: ChoicesProps<Value>) => (
  <fieldset aria-label={label} className="flex flex-wrap gap-1.5 touch:gap-2">
    {values.map((value) => (
      <button
        key={value}
        type="button"
        aria-pressed={value === chosen}
        onClick={() => onChoose(value)}
        className="h-7 touch-target rounded-full border px-3 text-xs transition-colors not-aria-pressed:text-muted-foreground hover:bg-foreground/8 aria-pressed:border-accent aria-pressed:bg-accent/12 touch:h-9"
      >
        {nameOf(value)}
      </button>
    ))}
  </fieldset>
)

type UseTableProps = { readonly rows: readonly Used[]; readonly names: Names; readonly measure: (typeof measures)[number] }

/** Chosen: a month. */
const daysAtFirst = 31

function UseTable({ rows, names, measure }: UseTableProps) {
  const [grouping, setGrouping] = useState<(typeof groupings)[number]>('byModel')
  const [showsAll, setShowsAll] = useState(false)
  const sums = sortedSums(rows, names, grouping, measure)
  const shown = showsAll || grouping !== 'byDay' ? sums : sums.slice(0, daysAtFirst)
  const most = Math.max(1, ...sums.map(([, sum]) => sum[measure]))
  return (
    <>
      <div className="mt-8 mb-3">
        <Choices label={t('groupBy')} values={groupings} chosen={grouping} nameOf={(value) => t(value)} onChoose={setGrouping} />
      </div>
      <table className="w-full tabular-nums">
        <thead className="text-left text-xs text-muted-foreground">
          <tr className="border-b">
            <th scope="col" className="py-2 font-normal">
              {t(grouping)}
            </th>
            {(['credits', 'searches', 'tokens'] as const).map((column) => (
              <th key={column} scope="col" className={cx('py-2 pl-3 text-right font-normal', column === 'tokens' && 'max-sm:hidden')}>
                {t(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(([name, sum]) => (
            <tr key={name} className="border-b">
              <th scope="row" className="w-full max-w-0 py-2 text-left font-normal">
                <span dir="auto" className="block wrap-anywhere">
                  {name}
                </span>
                <span aria-hidden="true" className="mt-1 block h-1 rounded-full bg-foreground/8">
                  <span className="block h-full rounded-full bg-accent" style={{ width: `${(100 * Math.max(0, sum[measure])) / most}%` }} />
                </span>
              </th>
              <Cell>{formatNumber(sum.credits)}</Cell>
              <Cell>{formatNumber(sum.searches)}</Cell>
              <Cell isOfWideTable>{formatNumber(sum.tokens)}</Cell>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < sums.length && (
        <Button className="mt-3" onClick={() => setShowsAll(true)}>
          {t('showAllDays', { days: sums.length })}
        </Button>
      )}
    </>
  )
}

/** In a narrow window, the file alone has the tokens. */
const Cell = ({ isOfWideTable = false, children }: { readonly isOfWideTable?: boolean; readonly children: string }) => (
  <td className={cx('py-2 pl-3 text-right align-top whitespace-nowrap', isOfWideTable && 'max-sm:hidden')}>{children}</td>
)

/** Days newest first, all others by what is shown. */
function sortedSums(
  rows: readonly Used[],
  names: Names,
  grouping: (typeof groupings)[number],
  measure: (typeof measures)[number],
): readonly (readonly [string, Sum])[] {
  if (grouping === 'byDay')
    return [...sumsBy(rows, ({ day }) => day)].sort(([a], [b]) => b - a).map(([day, sum]) => [dayName(day), sum] as const)
  const nameOf = grouping === 'byModel' ? ({ modelId }: Used) => names.model(modelId) : ({ projectId }: Used) => names.project(projectId)
  return [...sumsBy(rows, nameOf)].sort(([, a], [, b]) => b[measure] - a[measure] || b.credits - a.credits || b.tokens - a.tokens)
}

const utcDate = (day: number, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(formatLocale(), { ...options, timeZone: 'UTC' }).format(day * dayMs)

const dayName = (day: number): string => utcDate(day, { dateStyle: 'medium' })

const barName = (period: Period, start: number): string =>
  period === 'months12' ? utcDate(start, { month: 'short', year: 'numeric' }) : utcDate(start, { day: 'numeric', month: 'short' })
