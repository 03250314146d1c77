/** Clears the notice above the text when its cause ends: the awaited answer, the removed file, the edited message. Loads with the notice. */
import { useEffect, useRef } from 'react'
import { maxFilesPerMessage } from '../../../../worker/contract/limits.ts'
import type { Sender } from './use-sender.ts'

type Now = {
  /** The code that currently prevents sending. */
  readonly blockedCode: string | undefined
  readonly isBusy: boolean
  /** Attached or uploading. */
  readonly fileCount: number
  /** The earlier message in the composer, if one is edited. */
  readonly editedId: string | undefined
}

export function useProblemEnd({ problem, clearProblem }: Sender, now: Now): void {
  const { blockedCode, isBusy, fileCount, editedId } = now
  const beforeRef = useRef(now)
  useEffect(() => {
    const before = beforeRef.current
    beforeRef.current = { blockedCode, isBusy, fileCount, editedId }
    // A notice that holds a text stays until the user takes the text.
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
  // A refusal of the server may have reasons that the client does not know; it stays.
  return code === blockedBefore && code !== now.blockedCode
}
