/**
 * Sends without losing text: the composer empties at once, and a refusal by the client or the server restores the text. If the user has
 * typed something new meanwhile, the old text is offered instead.
 */
import { useState } from 'react'
import type { Effort } from '../../../../worker/contract/models/effort.ts'
import type { TurnMode } from '../../../../worker/contract/models/modes.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { createId } from '../../../lib/create-id.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { useStore } from '../../../lib/store.ts'
import { useLatest } from '../../../lib/use-stable.ts'
import { type Mutation, settled, useAct } from '../../../sync/act.ts'
import { keep, leaveToResender, writeOf } from '../../../sync/outbox.ts'
import type { Outcome } from '../../../sync/outcome.ts'
import { noMessage } from '../../../sync/repeatable-writes.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { announceTurnRequest } from '../stream/turn-requests.ts'
import { type Draft, defaultChoices, type Message, type MessageChoices } from './draft.ts'
import { draftOf, isEmpty, latestRevision, offerMessage, returnMessage, setAside, takeMessage } from './drafts.ts'
import { trackWrite } from './pending-writes.ts'
import { type Returned, returnedTo, type UnsentDraft } from './returned.ts'

type RefusedSend = Extract<Outcome, { ok: false }>['refusal']

type Problem = {
  readonly refusal: RefusedSend
  /** Replaces the sentence of the refusal. */
  readonly text?: string | undefined
  /** The text that could not be restored because the composer was in use. */
  readonly unsent: Message | null
  /** The earlier message in the composer at that time, null for a new one; undefined if unknown. */
  readonly editedId?: string | null
}

type SendOptions = {
  readonly modelId: string
  /** The thread does not continue with this model. */
  readonly isModelForOnce: boolean
  /** The other models of a comparison. */
  readonly others: readonly ModelRow[]
  readonly effort: Effort | null
  readonly mode: TurnMode
  /** The user typed the text, and memory is on. */
  readonly isTyped: boolean
}

type Destination = {
  readonly threadId: string
  /** The key of the current draft; it changes when a new thread is created. */
  readonly draftKey: string
  /** The parent of a new message. */
  readonly parentId: string | null
  /** The project in which a new thread starts. */
  readonly projectId: string | undefined
  /** The thread is temporary, or will be. */
  readonly isTemporary: boolean
}

export type Sender = {
  readonly problem: Problem | null
  readonly send: (options: SendOptions) => void
  /** Queues the message after the streaming answer. */
  readonly queue: (options: SendOptions) => void
  readonly restore: () => void
  readonly clearProblem: () => void
  readonly report: (refusal: RefusedSend, text?: string) => void
}

export function useSender({ threadId, draftKey, parentId, projectId, isTemporary }: Destination): Sender {
  const act = useAct()
  const [ownProblem, setProblem] = useState<Problem | null>(null)
  const returned = useStore(returnedTo(draftKey))
  const problem = ownProblem ?? (returned && problemOf(returned))
  const clearProblem = () => {
    setProblem(null)
    returnedTo(draftKey).set(null)
  }
  const latestKey = useLatest(draftKey)
  const startsThread = draftKey !== threadId

  const returnToDraft = (sent: Message, refusal: RefusedSend) => {
    const key = latestKey.current
    const now = draftOf(key).get()
    const { beforeEditing } = sent
    const isFree = isEmpty(now) || (now.text === beforeEditing.text && now.files === beforeEditing.files)
    if (isFree) returnMessage(key, sent)
    // Stored: the page may be reloaded before the user restores it.
    else if (!isTemporary) offerMessage(key, sent)
    setProblem({ refusal, unsent: isFree || !isTemporary ? null : sent, editedId: editedIn(key) })
  }

  const dispatch = (mutationOf: (sent: Draft, messageId: string, at: number) => Mutation) => {
    const draft = draftOf(draftKey).get()
    const { choices, editing } = draft
    const mutation = mutationOf(draft, createId(), serverNowMs())
    const unsent: UnsentDraft = { choices, editing, isTemporary }
    const write = { ...writeOf(mutation, noMessage.inThread, ...(startsThread ? [noMessage.asFirst] : [])), draft: unsent }
    const outcome = settled(act(mutation))
    const kept = keep(write, editing ? outcome : trackWrite(draftKey, '', outcome))
    clearProblem()
    const sent = takeMessage(draftKey, threadId)
    announceTurnRequest(threadId)
    void kept.then((ending) => {
      if (!ending || ending.ok) return
      // The thread was deleted and can still be restored, so the rows decide where the text returns to.
      if (ending.refusal.code === 'not_found') leaveToResender(write)
      else returnToDraft(sent, ending.refusal)
    })
  }
  const send = (options: SendOptions) =>
    dispatch(({ text, files, choices, editing, synced }, messageId, at) =>
      mutators.threads.send({
        threadId,
        messageId,
        at,
        parentId: editing ? editing.parentId : parentId,
        text,
        ...(files.length > 0 && { files: [...files] }),
        ...(options.isModelForOnce && { isModelForOnce: true }),
        ...(projectId && { projectId }),
        ...(isTemporary && startsThread && { isTemporary }),
        ...(startsThread && choices.offTools && { offTools: [...choices.offTools] }),
        ...turnArgsOf(options, choices),
        ...(!editing && revisionOf(synced)),
      }),
    )
  const queue = (options: SendOptions) =>
    dispatch(({ text, files, choices, synced }, id, at) =>
      mutators.queue.add({
        ...{ threadId, id, at, text, ...(files.length > 0 && { files: [...files] }) },
        ...turnArgsOf(options, choices),
        ...revisionOf(synced),
      }),
    )

  const restore = () => {
    const key = latestKey.current
    if (problem?.unsent) {
      setAside(key, draftOf(key).get())
      returnMessage(key, problem.unsent)
    }
    clearProblem()
  }
  const report = (refusal: RefusedSend, text?: string) => setProblem({ refusal, text, unsent: null, editedId: editedIn(latestKey.current) })

  return { problem, send, queue, restore, clearProblem, report }
}

const turnArgsOf = ({ modelId, others, effort, mode, isTyped }: SendOptions, { origins }: MessageChoices) => ({
  answerId: createId(),
  modelId,
  ...(effort && { effort }),
  ...(mode !== 'chat' && { mode }),
  ...(isTyped && { isTyped }),
  ...(origins.length > 0 && { origins: [...origins] }),
  ...(others.length > 0 && { compareWith: others.map(({ id }) => ({ answerId: createId(), modelId: id })) }),
})

/** The server ends this draft with the message. */
const revisionOf = (synced: Draft['synced']) => {
  const draft = latestRevision(synced)
  return draft ? { draft } : undefined
}

const editedIn = (key: string): string | null => draftOf(key).get().editing?.messageId ?? null

/** The server reports the reason only to the page that sent the message. */
const problemOf = ({ message, unsent }: Returned): Problem => ({
  refusal: { code: 'offline' },
  text: message,
  unsent: unsent && { ...unsent, beforeEditing: { text: '', files: [], choices: defaultChoices } },
})
