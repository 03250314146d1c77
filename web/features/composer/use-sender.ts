/**
 * Sending, without ever losing what was typed: the composer empties at once, and a refusal, at once or from the server, puts the
 * text back. If something new has been typed meanwhile, the old text is offered instead.
 */
import { useCallback, useRef, useState } from 'react'
import type { Effort } from '../../../worker/contract/effort.ts'
import type { TurnMode } from '../../../worker/contract/modes.ts'
import { createId } from '../../lib/create-id.ts'
import { type Draft, draftOf, endEditing, setDraft } from '../../stores/drafts.ts'
import { announceOwnTurn } from '../../stores/own-turns.ts'
import { type Action, settled, useActions } from '../../sync/actions.ts'
import type { Outcome } from '../../sync/outcome.ts'

type RefusedSend = Extract<Outcome, { ok: false }>['refusal']

export type Problem = {
  readonly refusal: RefusedSend
  /** What could not be put back because the composer was in use. */
  readonly unsent: Draft | null
}

type Destination = {
  readonly threadId: string
  /** Where the draft lives now; it changes when a new thread comes to be. */
  readonly draftKey: string
  /** The message a new one follows. */
  readonly parentId: string | null
}

export type Sender = {
  readonly problem: Problem | null
  readonly send: (modelId: string, effort: Effort | null, mode: TurnMode) => void
  /** Puts the message behind the answer being written. */
  readonly queue: (modelId: string, effort: Effort | null, mode: TurnMode) => void
  readonly restore: () => void
  readonly clearProblem: () => void
  readonly report: (refusal: RefusedSend) => void
}

export function useSender({ threadId, draftKey, parentId }: Destination): Sender {
  const actions = useActions()
  const [problem, setProblem] = useState<Problem | null>(null)
  const draftKeyRef = useRef(draftKey)
  draftKeyRef.current = draftKey

  const giveBack = useCallback((sent: Draft, refusal: RefusedSend) => {
    const key = draftKeyRef.current
    const isFree = draftOf(key).get().text.trim() === '' || draftOf(key).get().text === sent.aside
    if (isFree) setDraft(key, sent)
    setProblem({ refusal, unsent: isFree ? null : sent })
  }, [])

  const dispatch = useCallback(
    (act: (sent: Draft) => Action) => {
      const sent = draftOf(draftKey).get()
      const action = act(sent)
      setProblem(null)
      endEditing(draftKey)
      announceOwnTurn(threadId)
      void settled(action).then((outcome) => {
        if (!outcome.ok) giveBack(sent, outcome.refusal)
      })
    },
    [threadId, draftKey, giveBack],
  )
  const send = useCallback(
    (modelId: string, effort: Effort | null, mode: TurnMode) =>
      dispatch(({ text, editing }) =>
        actions.send({
          threadId,
          messageId: createId(),
          answerId: createId(),
          parentId: editing ? editing.parentId : parentId,
          text,
          modelId,
          ...(effort && { effort }),
          ...(mode !== 'chat' && { mode }),
        }),
      ),
    [dispatch, actions, threadId, parentId],
  )
  const queue = useCallback(
    (modelId: string, effort: Effort | null, mode: TurnMode) =>
      dispatch(({ text }) =>
        actions.queue({
          threadId,
          id: createId(),
          answerId: createId(),
          text,
          modelId,
          ...(effort && { effort }),
          ...(mode !== 'chat' && { mode }),
        }),
      ),
    [dispatch, actions, threadId],
  )

  const restore = useCallback(() => {
    if (problem?.unsent) setDraft(draftKeyRef.current, problem.unsent)
    setProblem(null)
  }, [problem])
  const clearProblem = useCallback(() => setProblem(null), [])
  const report = useCallback((refusal: RefusedSend) => setProblem({ refusal, unsent: null }), [])

  return { problem, send, queue, restore, clearProblem, report }
}
