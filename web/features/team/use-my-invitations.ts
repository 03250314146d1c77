/** Invitations addressed to me. They belong to organizations I see nothing of yet, so they are asked for and not synced. */
import { useCallback, useEffect, useState } from 'react'
import { callOrganization } from '../../lib/organization-calls.ts'
import { serverNowMs } from '../../lib/server-clock.ts'

export type MyInvitation = {
  readonly id: string
  readonly organizationId: string
  readonly organizationName: string
  readonly role: string
  readonly status: string
  readonly expiresAt: string
}

export function useMyInvitations(): { readonly invitations: readonly MyInvitation[]; readonly refresh: () => void } {
  const [invitations, setInvitations] = useState<readonly MyInvitation[]>([])
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks again
  useEffect(() => {
    let isCurrent = true
    const ask = async () => {
      const result = await callOrganization<readonly MyInvitation[]>('list-user-invitations')
      // Without an answer the page is as useful as before.
      if (isCurrent && result.ok) setInvitations(result.value.filter(isOpen))
    }
    void ask()
    // Somebody who comes back from the mail with the news finds it here.
    const onVisible = () => {
      if (document.visibilityState === 'visible') void ask()
    }
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      isCurrent = false
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [round])
  return { invitations, refresh: useCallback(() => setRound((last) => last + 1), []) }
}

const isOpen = ({ status, expiresAt }: MyInvitation): boolean => status === 'pending' && Date.parse(expiresAt) > serverNowMs()
