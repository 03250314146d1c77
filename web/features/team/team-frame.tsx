/** Frame of every team screen: back link and heading. `useCall` makes the calls of these screens. */
import { type ReactNode, useState } from 'react'
import { authCall } from '../../lib/auth-call.ts'
import { useBackLink } from '../../lib/navigation.ts'
import { usePageTitle } from '../../lib/page-head.ts'
import { BackRow } from '../../ui/back-row.tsx'
import { PageColumn } from '../../ui/page-column.tsx'
import { toast } from '../../ui/toaster.tsx'
import { t } from './texts/en.ts'

type TeamFrameProps = { readonly head: ReactNode; readonly isHome?: boolean; readonly children: ReactNode }

export function TeamFrame({ head, isHome = false, children }: TeamFrameProps) {
  usePageTitle(null)
  const wayBack = useBackLink()
  return (
    <PageColumn>
      {isHome ? <BackRow {...wayBack}>{t('back')}</BackRow> : <BackRow to="/team">{t('organizations')}</BackRow>}
      {head}
      {children}
    </PageColumn>
  )
}

type Run = (path: string, body: object, done?: string) => Promise<boolean>

/** One call at a time, with its pending state. Shows a refusal as a toast. Results arrive as synced rows. */
export function useCall(): { readonly isPending: boolean; readonly run: Run } {
  const [isPending, setPending] = useState(false)
  const run: Run = async (path, body, done) => {
    if (isPending) return false
    setPending(true)
    const result = await authCall(`organization/${path}`, body)
    setPending(false)
    if (!result.ok) toast('error', result.message)
    else if (done) toast('success', done)
    return result.ok
  }
  return { isPending, run }
}
