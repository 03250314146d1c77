/** How much of the plan's storage for threads and messages is used. */
import { contentState, type Plan } from '../../../worker/contract/access.ts'
import { formatNumber } from '../../lib/i18n/intl-format.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import type { UsageRow } from '../../sync/rows.ts'
import { Meter } from '../../ui/meter.tsx'
import { Section } from '../../ui/section.tsx'
import { t } from './texts/en.ts'

type StorageSectionProps = { readonly plan: Plan; readonly usage: UsageRow | undefined }

export function StorageSection({ plan, usage }: StorageSectionProps) {
  const { bytes, maxBytes, rows, maxRows, share, warn } = contentState(plan, usage)
  // The counts are rounded down, so that those of a new account would read as zero.
  const isUnused = share < 0.01
  return (
    <Section title={t('storage')} description={t('storageHint')}>
      <div className="flex flex-wrap justify-between gap-x-4 text-muted-foreground">
        <span>{isUnused ? t('lessThan1Percent') : t('ofSize', { used: megabytes(bytes), max: megabytes(maxBytes) })}</span>
        <span>{isUnused ? t('ofSizeAndRows', { max: megabytes(maxBytes), rows: maxRows }) : t('ofRows', { rows, max: maxRows })}</span>
      </div>
      <Meter
        label={t('storageUsed')}
        value={Math.round(Math.min(1, share) * 1000) / 10}
        max={100}
        tone={warn ? 'warning' : 'accent'}
        className="mt-2.5 h-1.5"
      />
      {share >= 1 && (
        <p role="status" className="mt-3 text-pretty">
          {refusalSentence({ code: 'content_full' })}
        </p>
      )}
    </Section>
  )
}

const megabyte = 1024 * 1024

/** Binary megabytes, like the limits. */
const megabytes = (bytes: number): string =>
  formatNumber(bytes / megabyte, {
    style: 'unit',
    unit: 'megabyte',
    maximumFractionDigits: bytes < megabyte ? 2 : bytes < 10 * megabyte ? 1 : 0,
  })
