/** Repeats the writes of closed pages that the server may not have received, in their order. Renders nothing. */
import { getMutator, type Zero } from '@rocicorp/zero'
import { useZero } from '@rocicorp/zero/react'
import { useEffect, useState } from 'react'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { researchPlanOf } from '../../worker/contract/research/research.ts'
import type { AnyRefusal } from '../lib/refusals/sending-sentence.ts'
import { useStore } from '../lib/store.ts'
import { type Act, type Mutation, settled, useAct } from './act.ts'
import { useConnection } from './hooks.ts'
import { dropWrite, foundBy, keep, orphanedWrites, settingsNow, type Write } from './outbox.ts'

/** Chosen: the sync client delivers the writes that it stored within moments of connecting. */
const untilDeliveredMs = 3000

/** `changed`: another page or device has changed the value since. `gone`: its thread was deleted. Otherwise the server refused the write. */
export type Loss = 'changed' | 'gone' | AnyRefusal

type ResendWritesProps = {
  /** Must be the same function at every render. */
  readonly onLost: (write: Write, loss: Loss) => void
}

export function ResendWrites({ onLost }: ResendWritesProps) {
  const zero = useZero()
  const act = useAct()
  // One after the other: a changed step of a plan must be sent before the start of the plan.
  const next = [...useStore(orphanedWrites).values()][0]
  const isConnected = useConnection().status === 'connected'
  const [isDelivered, setDelivered] = useState(false)
  useEffect(() => {
    if (!isConnected) return undefined
    const timer = setTimeout(() => setDelivered(true), untilDeliveredMs)
    return () => {
      clearTimeout(timer)
      setDelivered(false)
    }
  }, [isConnected])
  useEffect(() => {
    if (!next || !isDelivered) return undefined
    let isCurrent = true
    valueNow(zero, next).then(
      (now) => isCurrent && void resend(act, next, now, onLost),
      // The next connect repeats a failed read.
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [next, isDelivered, zero, act, onLost])
  return null
}

export async function resend(act: Act, write: Write, now: Value | null, onLost: ResendWritesProps['onLost']): Promise<void> {
  const mutation = mutationOf(write)
  const isAsBefore = now !== null && foundBy(write).some((value) => JSON.stringify(value) === JSON.stringify(now.value))
  if (!mutation || !isAsBefore) {
    dropWrite(write)
    return onLost(write, now ? 'changed' : 'gone')
  }
  const outcome = await keep(write, settled(act(mutation)))
  if (outcome && !outcome.ok) onLost(write, outcome.refusal)
}

/** Undefined for a mutator that this version of the page does not have. */
function mutationOf({ name, args }: Write): Mutation | undefined {
  const mutator: unknown = getMutator(mutators, name)
  return typeof mutator === 'function' ? mutator(args) : undefined
}

type Value = { readonly value: unknown }

const complete = { type: 'complete' } as const

/** The value that the write changes, as the server has it. Null if its thread was deleted. */
async function valueNow(zero: Zero, { name, args, saw }: Write): Promise<Value | null> {
  const {
    id: queuedId = '',
    threadIds,
    threadId = String(threadIds),
    messageId,
    stepId,
    answerId,
  } = args as { readonly [name: string]: string }
  if (name === 'settings.update') {
    const me = await zero.run(queries.me(), complete)
    return { value: settingsNow(args, me?.setting) }
  }
  if (name === 'queue.remove') {
    // A message keeps its id when it leaves the queue.
    const sent = await zero.run(queries.messages.byIds({ messageIds: [queuedId] }), complete)
    return { value: sent.length > 0 }
  }
  const thread = await zero.run(queries.threads.one({ threadId }), complete)
  if (!thread) return null
  if (name === 'threads.rename') return { value: thread.title ?? null }
  if (name === 'threads.delete') return { value: thread.updatedAt }
  const rows = await zero.run(queries.messages.byIds({ messageIds: [messageId, answerId].filter((id) => id !== undefined) }), complete)
  const plan = researchPlanOf(rows.find(({ id }) => id === messageId)?.message.parts ?? [])
  // The server refuses a change of a deleted plan.
  if (!plan) return { value: saw[0] }
  if (name === 'research.start') return { value: rows.some(({ id }) => id === answerId) }
  return { value: name === 'research.dismiss' ? (plan.isDismissed ?? false) : (plan.steps.find(({ id }) => id === stepId)?.text ?? null) }
}
