/** What an empty new thread offers to start with. Each card shows something that the product can do. */
import type { Plan } from './access.ts'
import type { FirstPaintText } from './first-paint-text.ts'

export type StarterId = 'compare' | 'research' | 'file' | 'write'

export type Starter = {
  readonly id: StarterId
  readonly title: string
  readonly detail: string
  /** The plan of the user lacks it, and the card opens the offer of PRO. */
  readonly isLocked: boolean
}

type Installation = { readonly search: boolean; readonly files: boolean; readonly billing: boolean }

/** Without billing there is no way to get a locked card, so it is not offered. */
export function startersFor({ search, files, billing }: Installation, plan: Plan, text: FirstPaintText): readonly Starter[] {
  const starters: readonly (Starter | null)[] = [
    {
      id: 'compare',
      title: text('starterCompare'),
      detail: text('starterCompareDetail'),
      isLocked: false,
    },
    search && (billing || plan === 'pro')
      ? {
          id: 'research',
          title: text('starterResearch'),
          detail: text('starterResearchDetail'),
          isLocked: plan !== 'pro',
        }
      : null,
    files ? { id: 'file', title: text('starterFile'), detail: text('starterFileDetail'), isLocked: false } : null,
    { id: 'write', title: text('starterWrite'), detail: text('starterWriteDetail'), isLocked: false },
  ]
  return starters.filter((starter) => starter !== null)
}

/** The number of cards in a window lower than 44 rem. */
export const startersOfLowWindow = 2

/** Links to the newest threads below the cards. */
export const recentThreads = 3
