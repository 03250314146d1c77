/** The use of the user by day, model and project, live while a page shows it. */
import { useQuery } from '@rocicorp/zero/react'
import { queries } from '../../worker/contract/queries.ts'
import { options } from './query-options.ts'
import type { DailyUseRow } from './rows.ts'

/** Newest first. `since`: UTC days since the epoch. */
export function useDailyUse(since: number): { readonly rows: readonly DailyUseRow[]; readonly isComplete: boolean } {
  const [rows, { type }] = useQuery(queries.usage.daily({ since }), options)
  return { rows, isComplete: type === 'complete' }
}
