/** The picker panel, loaded on first use. Its space is reserved. */
import { later } from '../../../lib/later.ts'

export const PickerPanel = later(
  () => import('./picker-panel.tsx').then((module) => module.PickerPanel),
  <div className="h-[min(24.5rem,var(--popover-available-height,24.5rem))] w-[min(30rem,calc(100vw-1rem))]" />,
)
