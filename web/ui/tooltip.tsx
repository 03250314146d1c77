/**
 * Tooltips by attribute: one layer, mounted once at the root, shows the text of the nearest `data-tooltip`. A hundred buttons cost no hooks
 * and no DOM. The layer loads after the first gesture.
 */
import { useEffect, useState } from 'react'
import { afterFirstGesture, lazyPart } from '../lib/lazy-part.ts'

type TooltipProps = {
  readonly 'data-tooltip'?: string
  readonly 'data-tooltip-keys'?: string
  readonly 'data-tooltip-placement'?: 'right'
  readonly 'aria-description'?: string
}

type TooltipOptions = {
  /** A keyboard shortcut shown beside the text. */
  readonly keys?: string | undefined
  /** The text says more than the control's name, so it is read out as its description. */
  readonly describes?: boolean
  /** Absent: above. */
  readonly placement?: 'right'
}

export const tooltip = (text: string | undefined, { keys, describes = false, placement }: TooltipOptions = {}): TooltipProps => {
  if (!text) return {}
  return {
    'data-tooltip': text,
    ...(keys && { 'data-tooltip-keys': keys }),
    ...(placement && { 'data-tooltip-placement': placement }),
    ...(describes && { 'aria-description': text }),
  }
}

const TooltipPanel = lazyPart(() => import('./tooltip-panel.tsx').then((module) => module.TooltipPanel))

export function TooltipLayer() {
  const [isWanted, setWanted] = useState(false)
  useEffect(() => afterFirstGesture(() => setWanted(true)), [])
  return isWanted && <TooltipPanel />
}
