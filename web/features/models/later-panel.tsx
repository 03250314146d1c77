/** The catalogue to choose from, fetched when somebody reaches for it. The place that it will take is kept free. */
import { later } from '../../lib/later.ts'

export const PickerPanel = later(
  () => import('./picker-panel.tsx').then((module) => module.PickerPanel),
  <div className="h-[min(24.5rem,calc(100dvh-9rem))] w-[min(30rem,calc(100vw-1rem))]" />,
)
