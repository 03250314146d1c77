/** Invitations for the user. Not synced but fetched, because the user cannot read rows of these organizations yet. */
import { useEffect, useState } from 'react'
import { authCall } from '../../lib/auth-call.ts'
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
      const result = await authCall<readonly MyInvitation[]>('organization/list-user-invitations')
      // The page works without them.
      if (isCurrent && result.ok) setInvitations(result.body.filter(isOpen))
    }
    void ask()
    // Refreshes when the user returns, for example from the mail program.
    const onVisible = () => {
      if (document.visibilityState === 'visible') void ask()
    }
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      isCurrent = false
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [round])
  return { invitations, refresh: () => setRound((last) => last + 1) }
}

const isOpen = ({ status, expiresAt }: MyInvitation): boolean => status === 'pending' && Date.parse(expiresAt) > serverNowMs()
