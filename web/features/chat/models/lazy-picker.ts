/** The open picker, loaded on first use, and its size. */
import { lazyPart } from '../../../lib/lazy-part.ts'

export const PickerPanel = lazyPart(() => import('./picker-panel.tsx').then((module) => module.PickerPanel))

/** Reserves the space of the panel. Chosen: 560 px, so that most sentences about a model fit on one line. */
export const pickerClass = 'h-[min(29rem,var(--popover-available-height,29rem))] w-[min(35rem,calc(100vw-1rem))] overflow-hidden rounded-xl'
