/** Repeats titles, deletions and settings of closed pages that the server did not receive. Renders nothing. */
import { useEffect } from 'react'
import { useStore } from '../../lib/store.ts'
import { type Actions, settled, useActions } from '../../sync/actions.ts'
import { useConnection, useMe } from '../../sync/hooks.ts'
import { orphanedChanges, type RowChange, resolveRowChange, trackChange } from '../../sync/row-changes.ts'
import { useThread } from '../../sync/thread.ts'
import { toastRefusal } from '../../ui/toast-refusal.ts'

/** Chosen: the sync client delivers persisted writes within moments of connecting. */
const untilDeliveredMs = 3000

export const ResendRowChanges = () => [...useStore(orphanedChanges)].map(([key, change]) => <Orphaned key={key} change={change} />)

function Orphaned({ change }: { readonly change: RowChange }) {
  const actions = useActions()
  const row = useRow(change)
  const isConnected = useConnection().status === 'connected'
  const status = row === undefined || !isConnected ? 'unknown' : statusOfChange(change, row)
  useEffect(() => {
    if (status === 'unknown') return undefined
    const timer = setTimeout(() => (status === 'resend' ? void repeat(actions, change) : resolveRowChange(change)), untilDeliveredMs)
    return () => clearTimeout(timer)
  }, [status, actions, change])
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

const repeat = (actions: Actions, change: RowChange) => toastRefusal(trackChange(change, settled(act(actions, change))))

function act({ rename, remove, updateSettings }: Actions, change: RowChange) {
  switch (change.kind) {
    case 'title':
      return rename(change.threadId, change.value)
    case 'deletion':
      return remove([change.threadId])
    case 'setting':
      // The server parses the arguments with their schema.
      return updateSettings({ [change.name]: change.value })
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
