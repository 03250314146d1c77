import type { WorldOptions } from './world.ts'

type RegressionSeed = { readonly seed: number; readonly events: number; readonly what: string; readonly options?: WorldOptions }

/** Worlds that failed once. They run first, always. A failure prints what to add here. */
export const regressionSeeds: readonly RegressionSeed[] = [
  { seed: 46, events: 120, what: 'the second page of a browser, after the object had lost its storage' },
  { seed: 9, events: 120, what: 'a browser that had never written, after the object had lost its storage' },
  { seed: 929, events: 300, what: 'a turn whose generation did not receive its start command, after the object had lost its storage' },
  { seed: 75, events: 120, what: 'an alarm that rang and could not read what was due', options: { isSpoiled: true } },
  { seed: 273, events: 120, what: 'a first page recorded in memory, neither stored nor written', options: { isSpoiled: true } },
  { seed: 165, events: 120, what: 'a first page whose rows could not be read', options: { isSpoiled: true } },
  {
    seed: 5124,
    events: 120,
    what: 'an alarm that could not be set again, so that a first page was never written',
    options: { isSpoiled: true },
  },
  { seed: 696, events: 120, what: 'two pages that push for a third, one of them from the middle', options: { isSpoiled: true } },
  {
    seed: 371,
    events: 120,
    what: 'a first page of before an import, of which the last answer brought nothing',
    options: { messages: 450 },
  },
  { seed: 4244, events: 300, what: 'a rename of a thread that another writer took away for a while' },
  { seed: 368, events: 120, what: 'rows of an organization newer than the watermark, at a restore', options: { isRestored: true } },
]
