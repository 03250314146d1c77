/** Repeats titles, deletions and settings of closed pages that the server did not receive. Renders nothing. */
import { useEffect } from 'react'
import { useStore } from '../../lib/store.ts'
import { type Actions, settled, useActions } from '../../sync/actions.ts'
import { useConnection, useMe } from '../../sync/hooks.ts'
import { forgetChange, orphanedChanges, type RowChange, trackChange } from '../../sync/row-changes.ts'
import { useThread } from '../../sync/thread.ts'
import { toast } from '../../ui/toaster.tsx'

/** Chosen: the sync client delivers persisted writes within moments of connecting. */
const untilDeliveredMs = 3000

export const RowChanges = () => [...useStore(orphanedChanges)].map(([key, change]) => <Orphaned key={key} change={change} />)

function Orphaned({ change }: { readonly change: RowChange }) {
  const actions = useActions()
  const row = useRow(change)
  const isConnected = useConnection().status === 'connected'
  const status = row === undefined || !isConnected ? 'unknown' : statusOfChange(change, row)
  useEffect(() => {
    if (status === 'unknown') return undefined
    const timer = setTimeout(() => (status === 'again' ? void repeat(actions, change) : forgetChange(change)), untilDeliveredMs)
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

async function repeat(actions: Actions, change: RowChange): Promise<void> {
  const outcome = await trackChange(change, settled(act(actions, change)))
  if (!outcome.ok) toast('error', outcome.refusal.message)
}

function act({ rename, remove, updateSettings }: Actions, change: RowChange) {
  switch (change.kind) {
    case 'title':
      return rename(change.threadId, change.value)
    case 'deletion':
      return remove(change.threadId)
    case 'setting':
      // The server parses the arguments with their schema.
      return updateSettings({ [change.name]: change.value })
  }
}

/** `again`: the server has not received the write. `over`: it has, or the row was changed or deleted elsewhere since. */
export function statusOfChange(change: RowChange, row: { readonly value?: unknown; readonly updatedAt?: number } | null): 'again' | 'over' {
  if (!row) return 'over'
  if (change.kind === 'deletion') return row.updatedAt === change.updatedAt ? 'again' : 'over'
  const same = (value: unknown) => JSON.stringify(value) === JSON.stringify(row.value ?? null)
  return !same(change.value) && change.was.some(same) ? 'again' : 'over'
}
