/** Shared links as features read them, live. */
import { useQuery } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import { queryTtlMs } from '../../worker/contract/limits.ts'
import { queries } from '../../worker/contract/queries.ts'
import { sharePath } from '../../worker/contract/shares.ts'
import type { ShareRow } from './rows.ts'

const options = { ttl: queryTtlMs }

/** Newest first. The link of a deleted thread does not work and is not listed. */
export function useShares(): { readonly shares: readonly ShareRow[]; readonly isComplete: boolean } {
  const [rows, { type }] = useQuery(queries.shares.mine(), options)
  const shares = useMemo(() => rows.filter(({ thread }) => thread && thread.deletedAt == null), [rows])
  return { shares, isComplete: type === 'complete' }
}

export const shareUrl = (id: string): string => location.origin + sharePath(id)

/** True if an organization of the user has switched sharing off. */
export function useIsSharingOff(): boolean {
  const [rows] = useQuery(queries.organizations.mine(), options)
  return rows.some(({ organization }) => organization?.isSharingOff === true)
}
