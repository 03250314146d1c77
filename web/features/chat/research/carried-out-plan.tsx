/** A completed plan, read-only. Its result is another version of the answer. */
import type { Plan } from '../../../../worker/contract/research.ts'
import { PlanFrame } from './plan-frame.tsx'
import { DonePlanStep } from './research-plan-step.tsx'

export const CarriedOutPlan = ({ plan: { steps } }: { readonly plan: Plan }) => (
  <PlanFrame note="It was carried out: what came of it is a later version of this answer.">
    <ol className="flex flex-col p-2">
      {steps.map((step, index) => (
        <DonePlanStep key={step.id} number={index + 1} step={step} />
      ))}
    </ol>
  </PlanFrame>
)
