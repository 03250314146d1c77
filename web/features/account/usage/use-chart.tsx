/**
 * A bar chart. Pointing at a bar shows its value, and the arrow keys move from bar to bar: for a screen reader, the chart is a slider whose text is the
 * value. The table below has all values.
 */
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { formatNumber } from '../../../lib/i18n/intl-format.ts'
import { axisEnd } from './use-sums.ts'

type ChartBar = { readonly key: number; readonly name: string; readonly value: number }

/** Chosen: two pixels, so that a small value beside a large one is seen. */
const leastShare = 1 / 80

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
  const step = (event: KeyboardEvent) => {
    const next = barAfter(event.key, pointed ?? bars.length - 1, bars.length)
    if (next === undefined) return
    event.preventDefault()
    setPointed(next)
  }
  const [first, middle, last] = [bars[0], bars[Math.floor(bars.length / 2)], bars.at(-1)]
  return (
    <figure>
      <figcaption aria-hidden="true" className="flex min-h-6 flex-wrap justify-between gap-x-4">
        <span className="text-muted-foreground">{bar ? bar.name : `${first?.name} – ${last?.name}`}</span>
        <span className="font-medium tabular-nums">{bar ? valueText(bar.value) : summary}</span>
      </figcaption>
      <div className="mt-2 flex h-40 gap-2">
        <div
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={1}
          aria-valuemax={bars.length}
          aria-valuenow={(pointed ?? bars.length - 1) + 1}
          aria-valuetext={bar ? `${bar.name}: ${valueText(bar.value)}` : summary}
          className="relative min-w-0 flex-1"
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setPointed(null)}
          onKeyDown={step}
          onBlur={() => setPointed(null)}
        >
          <div aria-hidden="true" className="absolute inset-0 flex flex-col justify-between">
            <div className="border-t border-dashed" />
            <div className="border-t border-dashed" />
            <div className="border-t" />
          </div>
          <svg aria-hidden="true" viewBox={`0 0 ${bars.length} ${end}`} preserveAspectRatio="none" className="relative size-full">
            {bars.map(({ key, value }, index) => {
              const height = value > 0 ? Math.max(value, end * leastShare) : 0
              return (
                <rect
                  key={key}
                  x={index + 0.12}
                  width={0.76}
                  y={end - height}
                  height={height}
                  className={pointed === null || pointed === index ? 'fill-accent' : 'fill-accent/45'}
                />
              )
            })}
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

/** The bar that a key leads to; undefined for another key. Null: none. */
function barAfter(key: string, at: number, count: number): number | null | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(0, at - 1)
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(count - 1, at + 1)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    case 'Escape':
      return null
    default:
      return undefined
  }
}

/** Without groups of digits in all of them, German would write 8000 below 16.000. */
const shortNumber = (value: number): string => formatNumber(value, { notation: 'compact', maximumFractionDigits: 1, useGrouping: 'always' })
