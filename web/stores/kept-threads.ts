/** What this browser keeps of threads that the server may not have any more. */
import { draftedThreads, forgetDraft, newThreadKey } from './drafts.ts'
import { chooseTurnMode, modedThreads } from './turn-modes.ts'

export const keptThreads = (): readonly string[] =>
  [...new Set([...draftedThreads(), ...modedThreads()])].filter((key) => key !== newThreadKey)

/** Of a thread that is gone for good. */
export function forgetThread(threadId: string): void {
  forgetDraft(threadId)
  chooseTurnMode(threadId, 'chat')
}
