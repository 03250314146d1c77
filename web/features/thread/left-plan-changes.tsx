/** Looks after changes of plans whose page was reloaded, or hidden for long, before the server said what became of them. Draws nothing. */
import { useEffect } from 'react'
import { type SentStep, unheardSteps } from '../../stores/plan-steps.ts'
import { useStore } from '../../stores/store.ts'
import { useActions } from '../../sync/actions.ts'
import { useConnection, useThread } from '../../sync/hooks.ts'
import { fateOfStep, passStep, savePlanStep } from './save-plan-step.ts'

export function UnheardSteps() {
  return useStore(unheardSteps).map((step) => <UnheardStep key={`${step.messageId} ${step.stepId}`} step={step} />)
}

function UnheardStep({ step }: { readonly step: SentStep }) {
  const actions = useActions()
  const fate = fateOfStep(step, useThread(step.threadId))
  const isConnected = useConnection().status === 'connected'
  useEffect(() => {
    if (!isConnected) return
    if (fate === 'again') void savePlanStep(actions, step)
    if (fate === 'passed') passStep(step)
  }, [fate, isConnected, step, actions])
  return null
}
