/** The tool calls of a thread that needed the user's approval. */
import { useQuery } from '@rocicorp/zero/react'
import { queries } from '../../worker/contract/queries.ts'
import { options } from './query-options.ts'
import type { ApprovalRow } from './rows.ts'

const none: readonly ApprovalRow[] = []

export const useApprovals = (threadId: string): readonly ApprovalRow[] =>
  useQuery(queries.approvals.ofThread({ threadId }), options)[0] ?? none
