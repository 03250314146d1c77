/** What PRO adds to a free account, with the price. The same wherever plans are compared. */
import { Check, Minus } from 'lucide-react'
import type { ReactNode } from 'react'
import { creditsPerDay, researchesPerDay, searchesPerDay, storedFileBytes } from '../../../worker/contract/limits.ts'
import { cx } from '../../lib/cx.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { formatNumber } from '../../lib/i18n/intl-format.ts'
import { useProPrice } from '../../lib/subscription.tsx'
import { t } from './texts/en.ts'

const gigabyte = 1024 * 1024 * 1024
const gigabytes = (bytes: number): string => formatNumber(bytes / gigabyte, { style: 'unit', unit: 'gigabyte' })

function Included({ isIncluded }: { readonly isIncluded: boolean }) {
  const Icon = isIncluded ? Check : Minus
  return (
    <>
      <Icon aria-hidden="true" className={cx('mx-auto size-4', isIncluded ? 'text-accent' : 'text-muted-foreground')} />
      <span className="sr-only">{t(isIncluded ? 'included' : 'notIncluded')}</span>
    </>
  )
}

type Row = { readonly name: string; readonly free: ReactNode; readonly pro: ReactNode }

const aDay = (count: number) => (count === 0 ? <Included isIncluded={false} /> : t('countADay', { count }))

const rows = (): readonly Row[] => [
  { name: t('proModels'), free: <Included isIncluded={false} />, pro: <Included isIncluded /> },
  { name: t('researchTool'), free: aDay(researchesPerDay.free), pro: aDay(researchesPerDay.pro) },
  { name: t('higherLimits'), free: aDay(searchesPerDay.free), pro: aDay(searchesPerDay.pro) },
  { name: t('creditsDaily', { credits: creditsPerDay.pro }), free: aDay(creditsPerDay.free), pro: aDay(creditsPerDay.pro) },
  { name: t('fileStorage'), free: gigabytes(storedFileBytes.free), pro: gigabytes(storedFileBytes.pro) },
]

export function PlanComparison() {
  const { price, separate } = useProPrice()
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-2">
        {separate && (
          <s className="text-base text-muted-foreground">
            <span className="sr-only">{t('insteadOf')} </span>
            {separate}
          </s>
        )}
        <span className="text-2xl font-semibold tracking-tight">{price}</span>
        <span className="text-muted-foreground">{t('aMonth')}</span>
      </p>
      <p className="mt-1 text-muted-foreground text-pretty">
        {separate && `${t('saveOver70')} `}
        {t('cancelAnyTime')}
      </p>
      <table className="mt-5 w-full text-center">
        <thead>
          <tr className="border-b">
            <td />
            <th scope="col" className="w-20 pt-2 pb-2 font-medium text-muted-foreground">
              {firstPaintText('free')}
            </th>
            <th scope="col" className="w-20 rounded-t-lg bg-accent/10 pt-2 pb-2 font-semibold text-accent">
              {firstPaintText('pro')}
            </th>
          </tr>
        </thead>
        <tbody className="divide-y">
          {rows().map(({ name, free, pro }) => (
            <tr key={name} className="group">
              <th scope="row" className="py-2.5 pr-3 text-left font-normal text-pretty">
                {name}
              </th>
              <td className="px-1 text-muted-foreground">{free}</td>
              <td className="bg-accent/10 px-1 font-medium group-last:rounded-b-lg">{pro}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
