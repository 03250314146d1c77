/** A bar chart. Pointing at a bar shows its value; the table below the chart has the values for all users. */
import { type PointerEvent, useState } from 'react'
import { formatNumber } from '../../../lib/i18n/intl-format.ts'
import { axisEnd } from './use-sums.ts'

type ChartBar = { readonly key: number; readonly name: string; readonly value: number }

type UseChartProps = {
  /** Describes the whole chart. */
  readonly label: string
  readonly bars: readonly ChartBar[]
  /** Shown while no bar is pointed at. */
  readonly summary: string
  readonly valueText: (value: number) => string
}

export function UseChart({ label, bars, summary, valueText }: UseChartProps) {
  const [pointed, setPointed] = useState<number | null>(null)
  const end = axisEnd(Math.max(...bars.map(({ value }) => value)))
  const bar = pointed === null ? undefined : bars[pointed]
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setPointed(Math.min(bars.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * bars.length))))
  }
  const [first, middle, last] = [bars[0], bars[Math.floor(bars.length / 2)], bars.at(-1)]
  return (
    <figure>
      <figcaption aria-hidden="true" className="flex min-h-6 flex-wrap justify-between gap-x-4">
        <span className="text-muted-foreground">{bar ? bar.name : `${first?.name} – ${last?.name}`}</span>
        <span className="font-medium tabular-nums">{bar ? valueText(bar.value) : summary}</span>
      </figcaption>
      <div className="mt-2 flex h-40 gap-2">
        <div className="relative min-w-0 flex-1" onPointerMove={point} onPointerDown={point} onPointerLeave={() => setPointed(null)}>
          <div aria-hidden="true" className="absolute inset-0 flex flex-col justify-between">
            <div className="border-t border-dashed" />
            <div className="border-t border-dashed" />
            <div className="border-t" />
          </div>
          <svg
            role="img"
            aria-label={label}
            viewBox={`0 0 ${bars.length} ${end}`}
            preserveAspectRatio="none"
            className="relative size-full"
          >
            {bars.map(({ key, value }, index) => (
              <rect
                key={key}
                x={index + 0.12}
                width={0.76}
                y={end - Math.max(0, value)}
                height={Math.max(0, value)}
                className={pointed === null || pointed === index ? 'fill-accent' : 'fill-accent/45'}
              />
            ))}
          </svg>
        </div>
        <div aria-hidden="true" className="flex w-9 flex-col justify-between text-xs leading-none text-muted-foreground tabular-nums">
          <span className="-mt-1.5">{shortNumber(end)}</span>
          <span>{shortNumber(end / 2)}</span>
          <span className="-mb-1.5">{shortNumber(0)}</span>
        </div>
      </div>
      <div aria-hidden="true" className="mt-2 mr-11 flex justify-between gap-2 text-xs text-muted-foreground">
        {[first, middle, last].map((named) => named && <span key={named.key}>{named.name}</span>)}
      </div>
    </figure>
  )
}

const shortNumber = (value: number): string => formatNumber(value, { notation: 'compact', maximumFractionDigits: 1 })
