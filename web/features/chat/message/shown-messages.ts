/** The messages that a page shows: those of the shown branch, followed by the streaming answer. */

import { isCompleted } from '../../../../worker/contract/research/plan-state.ts'
import { isWaitingPlan, researchPlanOf } from '../../../../worker/contract/research/research.ts'
import { pathTo, versionsOf } from '../../../../worker/contract/threads/branches.ts'
import type { AnswerMessage, UserMessage } from '../../../../worker/contract/threads/messages.ts'
import { withMoreBelow } from '../../../../worker/contract/threads/more-below.ts'
import { isBusy } from '../../../../worker/contract/threads/thread-status.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import type { MessageRow, ThreadWithMessages } from '../../../sync/rows.ts'

/** Ids of all versions of a message, oldest first, and the index of the shown one. Without the plan of a report, which the report repeats. */
export type Versions = { readonly ids: readonly string[]; readonly at: number }

type Stored = {
  readonly id: string
  readonly parentId: string | null
  readonly versions: Versions
  /** Deleting it would delete more than its answer. */
  readonly hasMoreBelow: boolean
  readonly isBookmarked: boolean
}

export type StoredAnswer = Stored & { readonly kind: 'answer'; readonly message: AnswerMessage }

export type ShownMessage =
  | (Stored & { readonly kind: 'user'; readonly message: UserMessage })
  | StoredAnswer
  /** Has the id of the future stored answer, so that the stored answer replaces it without unmounting. */
  | { readonly kind: 'live'; readonly id: string; readonly parentId: string | null; readonly isStopping: boolean }

/** Also a streaming answer. */
export type ShownAnswer = Exclude<ShownMessage, { kind: 'user' }>

export const busyText = (): string => refusalSentence({ code: 'thread_busy' })

export function shownMessagesOf(thread: ThreadWithMessages): readonly ShownMessage[] {
  const path = pathTo(thread.messages, thread.headId)
  const messageOf = storedMessagesIn(thread.messages)
  const shownMessages = path.map(messageOf)
  const { streamId } = thread
  if (!isBusy(thread) || !streamId || path.some(({ id }) => id === streamId)) return shownMessages
  // The stored answer and the thread's new state arrive together; if the answer is first, show it.
  const stored = thread.messages.find(({ id }) => id === streamId)
  if (stored) return [...shownMessages, messageOf(stored)]
  return [...shownMessages, { kind: 'live', id: streamId, parentId: thread.headId ?? null, isStopping: thread.status === 'stopping' }]
}

/**
 * The answers that are shown side by side, in their order. One of them is running or is the last message of the shown branch. Null if only one
 * answer is shown.
 */
export function comparedAnswers(thread: ThreadWithMessages): readonly ShownAnswer[] | null {
  const { compared, streamId, headId } = thread
  if (!compared?.some(({ id }) => id === streamId || id === headId)) return null
  const messageOf = storedMessagesIn(thread.messages)
  const answers = compared.flatMap(({ id, isStopping = thread.status === 'stopping' }): ShownAnswer[] => {
    const row = thread.messages.find((message) => message.id === id)
    const shown = row && messageOf(row)
    if (shown) return shown.kind === 'user' ? [] : [shown]
    return isBusy(thread) ? [{ kind: 'live', id, parentId: thread.headId ?? null, isStopping }] : []
  })
  return answers.length > 1 ? answers : null
}

/** True if the first message of the shown branch is loaded. */
export function isWholePath({ messages, headId }: ThreadWithMessages): boolean {
  const [first] = pathTo(messages, headId)
  return first !== undefined && first.parentId == null
}

function storedMessagesIn(messages: readonly MessageRow[]): (row: MessageRow) => ShownMessage {
  const versions = versionsIn(messages)
  const more = withMoreBelow(messages)
  return (row) => storedMessage(row, versions(row), more.has(row.id))
}

function storedMessage(
  { id, parentId = null, message, bookmarkedAt }: MessageRow,
  versions: Versions,
  hasMoreBelow: boolean,
): ShownMessage {
  const stored = { id, parentId, versions, hasMoreBelow, isBookmarked: bookmarkedAt != null }
  return message.role === 'user' ? { kind: 'user', ...stored, message } : { kind: 'answer', ...stored, message }
}

/** Indexes the messages once for any number of lookups. */
function versionsIn(messages: readonly MessageRow[]): (row: MessageRow) => Versions {
  const families = Map.groupBy(messages, ({ parentId }) => parentId ?? null)
  return (row) => {
    const all = versionsOf(families.get(row.parentId ?? null) ?? [], row)
    const allIds = all.map(({ id }) => id)
    const ids = all.filter((version) => version.id === row.id || !isPlanOfReport(version, allIds)).map(({ id }) => id)
    return { ids, at: ids.indexOf(row.id) }
  }
}

function isPlanOfReport({ id, message: { role, parts } }: MessageRow, versions: readonly string[]): boolean {
  const plan = role === 'assistant' && isWaitingPlan(parts) ? researchPlanOf(parts) : null
  return plan !== null && isCompleted(plan, id, versions)
}
