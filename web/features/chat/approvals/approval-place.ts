/** The place of an answer, for its calls that wait for the user. Null in a printed thread, which has no decisions. */
import { createContext } from 'react'

export type ApprovalPlace = {
  readonly threadId: string
  /** False for an answer with messages after it, or of another version. */
  readonly isLast: boolean
  /** Why the thread accepts no decision now. */
  readonly busyReason: string | undefined
}

export const ApprovalPlaceContext = createContext<ApprovalPlace | null>(null)
