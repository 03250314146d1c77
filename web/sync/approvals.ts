/** The tool calls of a thread that needed the user's approval. */
import { useQuery, useZero } from '@rocicorp/zero/react'
import { queries } from '../../worker/contract/queries.ts'
import { options } from './query-options.ts'
import type { ApprovalRow } from './rows.ts'

const none: readonly ApprovalRow[] = []

export const useApprovals = (threadId: string): readonly ApprovalRow[] =>
  useQuery(queries.approvals.ofThread({ threadId }), options)[0] ?? none

/** Reads the state that an approval has now, also after its rows are no longer shown. Undefined if there is none. */
export function useApprovalState(): (approval: Pick<ApprovalRow, 'threadId' | 'id'>) => Promise<ApprovalRow['state'] | undefined> {
  const zero = useZero()
  return async ({ threadId, id }) => (await zero.run(queries.approvals.ofThread({ threadId }))).find((row) => row.id === id)?.state
}
