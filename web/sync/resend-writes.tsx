/** Repeats the writes of closed pages that the server may not have received, in their order. Renders nothing. */
import { getMutator } from '@rocicorp/zero'
import { useZero } from '@rocicorp/zero/react'
import { useEffect, useState } from 'react'
import { refusal } from '../../worker/contract/errors.ts'
import { mutators } from '../../worker/contract/mutators.ts'
import type { AnyRefusal } from '../lib/refusals/sending-sentence.ts'
import { useStore } from '../lib/store.ts'
import { type Act, type Mutation, settled, useAct } from './act.ts'
import { useConnection } from './hooks.ts'
import { dropWrite, dropWriteOf, foundBy, keep, orphanedWrites, type Write } from './outbox.ts'
import { keyOf } from './repeatable-writes.ts'
import { type Found, hasValidArgs, valueNow } from './values-now.ts'

/** Chosen: the sync client delivers the writes that it stored within moments of connecting. */
const untilDeliveredMs = 3000
/** Chosen. Of a write whose value is not known yet. */
const retryMs = 3000

/**
 * `changed`: another page or device has changed the value since, or the write has arrived. `gone`: its thread was deleted. Otherwise the server
 * refused the write.
 */
export type Loss = 'changed' | 'gone' | AnyRefusal

type ResendWritesProps = {
  /** Must be the same function at every render. */
  readonly onLost: (write: Write, loss: Loss) => void
}

export function ResendWrites({ onLost }: ResendWritesProps) {
  const zero = useZero()
  const act = useAct()
  const [undecided, setUndecided] = useState<readonly Write[]>([])
  // One after the other: a changed step of a plan must be sent before the start of the plan.
  const [key, next] = [...useStore(orphanedWrites)].find(([, write]) => !undecided.includes(write)) ?? []
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
    if (key === undefined || !next || !isDelivered) return undefined
    let isCurrent = true
    // Under another key, its outcome would not remove it.
    if (!hasValidArgs(next) || keyOf(next) !== key) {
      // Not in this effect: React ends a chain of fifty updates in effects with an error.
      queueMicrotask(() => {
        if (!isCurrent) return
        dropWriteOf(key)
        onLost(next, refusal('invalid_request'))
      })
      return () => {
        isCurrent = false
      }
    }
    const read = () => valueNow(zero, next)
    const decide = (now: Found) => {
      if (!isCurrent) return
      if (now === undefined) setUndecided((before) => [...before, next])
      else void resend(act, next, { now, read }, onLost)
    }
    // After a failed read all wait, because of their order.
    read().then(decide, () => isCurrent && setUndecided([...orphanedWrites.get().values()]))
    return () => {
      isCurrent = false
    }
  }, [key, next, isDelivered, zero, act, onLost])
  useEffect(() => {
    if (undecided.length === 0) return undefined
    const timer = setTimeout(() => setUndecided([]), retryMs)
    return () => clearTimeout(timer)
  }, [undecided])
  return null
}

type Reading = { readonly now: Found; readonly read: () => Promise<Found> }

export async function resend(act: Act, write: Write, { now, read }: Reading, onLost: ResendWritesProps['onLost']): Promise<void> {
  const mutation = mutationOf(write)
  const isAsBefore = (found: Found) => !!found && foundBy(write).some((value) => JSON.stringify(value) === JSON.stringify(found.value))
  if (!mutation || !isAsBefore(now)) {
    dropWrite(write)
    return onLost(write, now ? 'changed' : 'gone')
  }
  /** The sync client may deliver the first write meanwhile, and the server then refuses the repeated one. */
  const hasArrived = async () => {
    const after = await read().catch(() => undefined)
    return !!after && !isAsBefore(after)
  }
  const repeated = settled(act(mutation)).then(async (outcome) => (outcome.ok || !(await hasArrived()) ? outcome : ({ ok: true } as const)))
  const outcome = await keep(write, repeated)
  if (outcome && !outcome.ok) onLost(write, outcome.refusal)
}

/** Undefined for a mutator that this version of the page does not have. */
function mutationOf({ name, args }: Write): Mutation | undefined {
  const mutator: unknown = getMutator(mutators, name)
  return typeof mutator === 'function' ? mutator(args) : undefined
}
