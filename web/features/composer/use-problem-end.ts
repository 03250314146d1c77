/** What is said above the text goes with what it was about: the answer that was waited for, the file that was taken away, the message that was edited. */
import { useEffect, useRef } from 'react'
import { maxFilesPerMessage } from '../../../worker/contract/limits.ts'
import type { Sender } from './use-sender.ts'

type Now = {
  /** What stands in the way of sending. */
  readonly blockedCode: string | undefined
  readonly isBusy: boolean
  /** Attached, or on their way. */
  readonly fileCount: number
  /** The message that the composer holds, if it is an earlier one. */
  readonly editedId: string | undefined
}

export function useProblemEnd({ problem, clearProblem }: Sender, now: Now): void {
  const { blockedCode, isBusy, fileCount, editedId } = now
  const beforeRef = useRef(now)
  useEffect(() => {
    const before = beforeRef.current
    beforeRef.current = { blockedCode, isBusy, fileCount, editedId }
    // What holds a text that stands nowhere else stays until it is taken.
    if (!problem || problem.unsent) return
    if (hasEnded(problem, before.blockedCode, { blockedCode, isBusy, fileCount, editedId })) clearProblem()
  }, [problem, clearProblem, blockedCode, isBusy, fileCount, editedId])
}

export function hasEnded(
  { refusal: { code }, editedId }: Pick<NonNullable<Sender['problem']>, 'refusal' | 'editedId'>,
  blockedBefore: string | undefined,
  now: Now,
): boolean {
  if (editedId !== undefined && editedId !== (now.editedId ?? null)) return true
  if (code === 'thread_busy' && !now.isBusy) return true
  if (code === 'too_many_files' && now.fileCount < maxFilesPerMessage) return true
  // The server may know of more than stands in the way here; what it says stays.
  return code === blockedBefore && code !== now.blockedCode
}
