/** Resolves plan changes whose page closed, or was hidden for long, before the server answered. Renders nothing. */
import { useEffect } from 'react'
import { useStore } from '../../../lib/store.ts'
import { useActions } from '../../../sync/actions.ts'
import { useConnection } from '../../../sync/hooks.ts'
import { useThread } from '../../../sync/thread.ts'
import { newThreadKey } from '../composer/drafts.ts'
import { changePlanAgain, fateOfChange, passChange } from './change-plan.ts'
import { forgetChange, leftChanges, type PlanChange } from './plan-changes.ts'

export function LeftPlanChanges() {
  return [...useStore(leftChanges)].map(([place, change]) => <LeftChange key={place} change={change} />)
}

function LeftChange({ change }: { readonly change: PlanChange }) {
  const actions = useActions()
  const shown = useThread(change.threadId, change.kind === 'start' ? [change.messageId, change.answerId] : [change.messageId])
  const fate = fateOfChange(change, shown)
  const draftKey = shown.state === 'missing' ? newThreadKey : change.threadId
  const isConnected = useConnection().status === 'connected'
  useEffect(() => {
    if (!isConnected) return
    if (fate === 'again') void changePlanAgain(actions, change, draftKey)
    if (fate === 'arrived') forgetChange(change)
    if (fate === 'passed') passChange(change)
  }, [fate, isConnected, change, draftKey, actions])
  return null
}
