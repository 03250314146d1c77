/** Repeats titles, deletions and settings of closed pages that the server did not receive. Renders nothing. */
import { useEffect } from 'react'
import { mutators } from '../../../worker/contract/mutators.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { useStore } from '../../lib/store.ts'
import { type Act, type Mutation, settled, useAct } from '../../sync/act.ts'
import { useConnection, useMe } from '../../sync/hooks.ts'
import { orphanedChanges, type RowChange, resolveRowChange, trackChange } from '../../sync/row-changes.ts'
import { useThread } from '../../sync/thread.ts'
import { toastRefusal } from '../../ui/toast-refusal.ts'

/** Chosen: the sync client delivers persisted writes within moments of connecting. */
const untilDeliveredMs = 3000

export const ResendRowChanges = () => [...useStore(orphanedChanges)].map(([key, change]) => <Orphaned key={key} change={change} />)

function Orphaned({ change }: { readonly change: RowChange }) {
  const act = useAct()
  const row = useRow(change)
  const isConnected = useConnection().status === 'connected'
  const status = row === undefined || !isConnected ? 'unknown' : statusOfChange(change, row)
  useEffect(() => {
    if (status === 'unknown') return undefined
    const timer = setTimeout(() => (status === 'resend' ? void repeat(act, change) : resolveRowChange(change)), untilDeliveredMs)
    return () => clearTimeout(timer)
  }, [status, act, change])
  return null
}

/** The row of the server: null if it was deleted, undefined while it is unknown. */
function useRow(change: RowChange) {
  const shown = useThread(change.kind === 'setting' ? undefined : change.threadId)
  const me = useMe()
  if (change.kind === 'setting') {
    const setting = me && !me.isServed ? me.setting : undefined
    return setting && { value: { ...setting }[change.name as keyof typeof setting] }
  }
  if (shown.state === 'missing') return null
  return shown.state === 'found' && shown.isComplete ? { value: shown.thread.title, updatedAt: shown.thread.updatedAt } : undefined
}

const repeat = (act: Act, change: RowChange) => toastRefusal(trackChange(change, settled(act(mutationOf(change)))))

function mutationOf(change: RowChange): Mutation {
  switch (change.kind) {
    case 'title':
      return mutators.threads.rename({ threadId: change.threadId, title: change.value })
    case 'deletion':
      return mutators.threads.delete({ threadIds: [change.threadId], at: serverNowMs() })
    case 'setting':
      // The server parses the arguments with their schema.
      return mutators.settings.update({ [change.name]: change.value })
  }
}

/** `resend`: the server has not received the write. `settled`: it has, or the row was changed or deleted elsewhere since. */
export function statusOfChange(
  change: RowChange,
  row: { readonly value?: unknown; readonly updatedAt?: number } | null,
): 'resend' | 'settled' {
  if (!row) return 'settled'
  if (change.kind === 'deletion') return row.updatedAt === change.updatedAt ? 'resend' : 'settled'
  const same = (value: unknown) => JSON.stringify(value) === JSON.stringify(row.value ?? null)
  return !same(change.value) && change.was.some(same) ? 'resend' : 'settled'
}
