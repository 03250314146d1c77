/** Shared links as features read them, live. */
import { useQuery } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { sharePath } from '../../worker/contract/threads/shares.ts'
import { createStore, useStore } from '../lib/store.ts'
import { settled, useAct } from './act.ts'
import type { Outcome } from './outcome.ts'
import { options } from './query-options.ts'
import type { ShareRow } from './rows.ts'

/** The link of a deleted thread has no page until the thread is restored. */
export type SharedLink = ShareRow & { readonly isThreadDeleted: boolean }

/** Newest first. */
export function useShares(): { readonly shares: readonly SharedLink[]; readonly isComplete: boolean } {
  const [rows, { type }] = useQuery(queries.shares.mine(), options)
  const shares = useMemo(() => rows.map((row) => ({ ...row, isThreadDeleted: row.thread?.deletedAt != null })), [rows])
  return { shares, isComplete: type === 'complete' }
}

/** Ids of links that the server is to revoke. Their pages are public until it has. */
const revokedHere = createStore<ReadonlySet<string>>(new Set())

export function useRevokeShare(): { readonly revoking: ReadonlySet<string>; readonly revoke: (id: string) => Promise<Outcome> } {
  const act = useAct()
  const revoke = async (id: string) => {
    revokedHere.set(new Set([...revokedHere.get(), id]))
    const outcome = await settled(act(mutators.shares.revoke({ id })))
    // The row of a revoked link leaves the list, and its id is never used again.
    if (!outcome.ok) revokedHere.set(new Set([...revokedHere.get()].filter((other) => other !== id)))
    return outcome
  }
  return { revoking: useStore(revokedHere), revoke }
}

export const shareUrl = (id: string): string => location.origin + sharePath(id)

/** True if an organization of the user has switched sharing off. */
export function useIsSharingOff(): boolean {
  const [rows] = useQuery(queries.organizations.mine(), options)
  return rows.some(({ organization }) => organization?.isSharingOff === true)
}
