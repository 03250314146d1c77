/** How much of the plan's storage for threads and messages is used. */
import { contentState, type Plan } from '../../../worker/contract/access.ts'
import { refusals } from '../../../worker/contract/errors.ts'
import type { UsageRow } from '../../sync/rows.ts'
import { Meter } from '../../ui/meter.tsx'
import { Section } from '../../ui/section.tsx'

type StorageSectionProps = { readonly plan: Plan; readonly usage: UsageRow | undefined }

export function StorageSection({ plan, usage }: StorageSectionProps) {
  const { bytes, maxBytes, rows, maxRows, share, warn } = contentState(plan, usage)
  // The counts are rounded down, so that those of a new account would read as zero.
  const isUnused = share < 0.01
  return (
    <Section title="Storage" description="Your threads and messages. Deleted ones still count for 30 days.">
      <div className="flex flex-wrap justify-between gap-x-4 text-muted-foreground">
        <span>{isUnused ? 'Less than 1% used' : `${megabytes(bytes)} of ${megabytes(maxBytes)}`}</span>
        <span>{isUnused ? `of ${megabytes(maxBytes)} and ${count(maxRows)}` : `${rows.toLocaleString()} of ${count(maxRows)}`}</span>
      </div>
      <Meter
        label="Storage used"
        value={Math.round(Math.min(1, share) * 1000) / 10}
        max={100}
        tone={warn ? 'warning' : 'accent'}
        className="mt-2.5 h-1.5"
      />
      {share >= 1 && (
        <p role="status" className="mt-3 text-pretty">
          {refusals.content_full}
        </p>
      )}
    </Section>
  )
}

const megabyte = 1024 * 1024

const count = (rows: number): string => `${rows.toLocaleString()} threads and messages`

/** Binary megabytes, like the limits. */
const megabytes = (bytes: number): string =>
  new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: 'megabyte',
    maximumFractionDigits: bytes < megabyte ? 2 : bytes < 10 * megabyte ? 1 : 0,
  }).format(bytes / megabyte)
