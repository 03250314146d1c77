/** The open picker, loaded on first use, and its size. */
import { lazyPart } from '../../../lib/lazy-part.ts'

export const PickerPanel = lazyPart(() => import('./picker-panel.tsx').then((module) => module.PickerPanel))

/** Reserves the space of the panel. Chosen: on wide windows, the names of makers and models fit on one line. */
export const pickerClass = 'h-[min(29rem,var(--popover-available-height,29rem))] w-[min(40rem,calc(100vw-1rem))] overflow-hidden rounded-xl'
