/** Resolves plan changes whose page closed, or was hidden for long, before the server answered. Renders nothing. */
import { useEffect } from 'react'
import { newThreadKey } from '../../../../worker/contract/draft-key.ts'
import { useStore } from '../../../lib/store.ts'
import { useAct } from '../../../sync/act.ts'
import { useConnection } from '../../../sync/hooks.ts'
import { useThread } from '../../../sync/thread.ts'
import { discardPlanChange, resendPlanChange, statusOfPlanChange } from './change-plan.ts'
import { orphanedPlanChanges, type PlanChange, resolvePlanChange } from './plan-changes.ts'

export function ResendPlanChanges() {
  return [...useStore(orphanedPlanChanges)].map(([key, change]) => <ResendPlanChange key={key} change={change} />)
}

function ResendPlanChange({ change }: { readonly change: PlanChange }) {
  const act = useAct()
  const shown = useThread(change.threadId, change.kind === 'start' ? [change.messageId, change.answerId] : [change.messageId])
  const status = statusOfPlanChange(change, shown)
  const draftKey = shown.state === 'missing' ? newThreadKey : change.threadId
  const isConnected = useConnection().status === 'connected'
  useEffect(() => {
    if (!isConnected) return
    if (status === 'resend') void resendPlanChange(act, change, draftKey)
    if (status === 'arrived') resolvePlanChange(change)
    if (status === 'superseded') discardPlanChange(change)
  }, [status, isConnected, change, draftKey, act])
  return null
}
