/** The rendered turns: measures their heights, and grows the margin around the view in which turns render. */
import { type RefObject, useEffect, useMemo, useState } from 'react'
import type { Turn } from '../message/turns.ts'
import { overscanStepsPx, type Position, type Span, spanFor, turnHeights, viewOf } from './rendered-span.ts'

/** A reopened thread has the same heights, so a stored position stays valid. */
const measured = turnHeights()

const heightsOf = (turns: readonly Turn[]): readonly number[] => turns.map(measured.heightPx)

/** The heights at the time of this render. The React Compiler caches plain function calls, so this is a hook. */
export const useHeights = (turns: readonly Turn[]): readonly number[] => heightsOf(turns)

type TurnElements = RefObject<Map<string, HTMLElement>>

type TurnObserver = {
  readonly observer: ResizeObserver
  /** Ref callback for the element of the turn with this id. */
  readonly turnRef: (id: string) => (element: HTMLElement | null) => (() => void) | undefined
}

/** Registers the elements of rendered turns. `onResize` runs before the paint; its argument is true if a turn has a new height. */
export function useTurnObserver(elementsRef: TurnElements, onResize: (isNewHeight: boolean) => void): TurnObserver {
  const observer = useMemo(() => new ResizeObserver((entries) => onResize(storeHeights(entries))), [onResize])
  const turnRef = (id: string) => (element: HTMLElement | null) => {
    if (!element) return undefined
    elementsRef.current.set(id, element)
    observer.observe(element)
    return () => {
      elementsRef.current.delete(id)
      observer.unobserve(element)
    }
  }
  return { observer, turnRef }
}

function storeHeights(entries: readonly ResizeObserverEntry[]): boolean {
  let isNew = false
  for (const { target, borderBoxSize } of entries) {
    if (!(target instanceof HTMLElement) || !target.dataset.turn) continue
    const { turn: id, wide } = target.dataset
    const [box] = borderBoxSize
    if (box && measured.record(id, wide !== undefined ? null : box.inlineSize, box.blockSize)) isNew = true
  }
  return isNew
}

type Rendered = { readonly turns: readonly Turn[]; readonly span: Span; readonly overscanPx: number }

/** True if the rendered turns differ from those that the position needs. */
export function isSpanStale({ turns, span, overscanPx }: Rendered, position: Position): boolean {
  const heights = heightsOf(turns)
  const next = spanFor(heights, viewOf(position, heights, turns), overscanPx)
  return next.first !== span.first || next.end !== span.end
}

/** Chosen: the pause between two steps in browsers without idle callbacks. */
const withoutIdleMs = 250

/** The distance beyond the view in which turns render: small at first, larger with every idle callback. */
export function useOverscan(): number {
  const [step, setStep] = useState(0)
  const isLast = step === overscanStepsPx.length - 1
  useEffect(() => {
    if (isLast) return undefined
    const grow = () => setStep(step + 1)
    if (typeof requestIdleCallback !== 'function') {
      const timer = setTimeout(grow, withoutIdleMs)
      return () => clearTimeout(timer)
    }
    const handle = requestIdleCallback(grow, { timeout: withoutIdleMs * 4 })
    return () => cancelIdleCallback(handle)
  }, [step, isLast])
  return overscanStepsPx[step] ?? 0
}
