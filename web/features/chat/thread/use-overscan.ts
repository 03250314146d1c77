import { useEffect, useState } from 'react'
import { overscanStepsPx } from './rendered-span.ts'

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

const withoutIdleMs = 250
