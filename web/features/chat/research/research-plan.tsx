/** A plan that waits for approval. It is synced; every device can edit, approve or dismiss it. */
import { Plus, Telescope } from 'lucide-react'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { creditRefusal, modeAllowance } from '../../../../worker/contract/access.ts'
import { type Refusal, type RefusalCode, refusal } from '../../../../worker/contract/errors.ts'
import { type AttachedFile, filesOf } from '../../../../worker/contract/files/files.ts'
import { maxPlanSteps } from '../../../../worker/contract/limits.ts'
import { defaultCreditMicroDollars } from '../../../../worker/contract/models/quote.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import type { ResearchPlan as Plan, PlanStep } from '../../../../worker/contract/research/research.ts'
import { turnRefusal } from '../../../../worker/contract/threads/turn-refusal.ts'
import { createId } from '../../../lib/create-id.ts'
import { creditsText } from '../../../lib/format.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { serverNowMs, useServerNow } from '../../../lib/server-clock.ts'
import { useAct } from '../../../sync/act.ts'
import { useProject } from '../../../sync/organise.ts'
import type { Me, ThreadWithMessages } from '../../../sync/rows.ts'
import { useSummaries, useThread } from '../../../sync/thread.ts'
import { Button, type ButtonProps } from '../../../ui/button.tsx'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { focusComposer } from '../composer/composer-field.tsx'
import { useNextModel } from '../composer/next-model.ts'
import { quotePlan } from '../composer/price/page-quote.ts'
import { announceTurnRequest } from '../stream/turn-requests.ts'
import { changePlan } from './change-plan.ts'
import { DonePlanStep, NewStep, PlanStepRow } from './research-plan-step.tsx'
import { t } from './texts/en.ts'

type ResearchPlanProps = {
  readonly threadId: string
  readonly messageId: string
  readonly plan: Plan
  readonly busyReason: string | undefined
}

export function ResearchPlan({ threadId, messageId, plan, busyReason }: ResearchPlanProps) {
  const act = useAct()
  const { thread } = useThread(threadId)
  const { me } = useNextModel(thread, threadId)
  const nowMs = useServerNow()
  const [newStepId, setNewStepId] = useState<string | null>(null)
  const sectionRef = useRef<HTMLElement>(null)
  const startRef = useRef<HTMLButtonElement>(null)
  const hadFocusRef = useRef(false)
  const ref = { threadId, messageId }
  const { steps } = plan
  const project = useProject(thread?.projectId)
  const summaries = useSummaries(threadId)
  const creditPrice = pageSettings.creditMicroDollars ?? defaultCreditMicroDollars
  const expected = quotePlan({ me, thread, project, summaries }, messageId, creditPrice)
  const refused = me ? startRefusal(me, questionFiles(thread, messageId), expected, nowMs) : null
  const decide = (isDismissed: boolean) =>
    void changePlan(act, mutators.research.dismiss({ ...ref, isDismissed, at: serverNowMs() }), !isDismissed)
  const putStep = (stepId: string, text: string, was: string | null) =>
    void changePlan(act, mutators.research.putStep({ ...ref, stepId, text, at: serverNowMs() }), was)
  if (plan.isDismissed)
    return (
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-muted-foreground">
        <p>{t('planDismissed')}</p>
        <ToggledButton hadFocusRef={hadFocusRef} size="sm" disabledReason={busyReason} onClick={() => decide(false)}>
          {t('restorePlan')}
        </ToggledButton>
      </div>
    )
  const start = () => {
    if (!me?.model) return
    const { startedAs: after } = plan
    const args = { ...ref, answerId: createId(), modelId: me.model.id, ...(after !== undefined && { after }), at: serverNowMs() }
    void changePlan(act, mutators.research.start(args), false)
    focusComposer(sectionRef.current)
    announceTurnRequest(threadId)
  }
  /** The pressed button disappears with its step. Focuses the button of the next one, so that several can be removed in a row. */
  const remove = ({ id: stepId, text: was }: PlanStep, index: number) => {
    const buttons = sectionRef.current?.querySelectorAll<HTMLElement>('[data-remove-step]')
    const target = buttons?.[index + 1] ?? startRef.current
    target?.focus({ preventScroll: true })
    void changePlan(act, mutators.research.removeStep({ ...ref, stepId, at: serverNowMs() }), was)
  }
  const isFull = steps.length + (newStepId === null ? 0 : 1) >= maxPlanSteps
  return (
    <section ref={sectionRef} aria-label={t('plan')} className="rounded-xl border border-border bg-raised">
      <header className="flex items-center gap-2 px-4 pt-3 pb-1 text-sm">
        <Telescope className="size-4 shrink-0 text-accent" aria-hidden="true" />
        <p className="font-medium">{t('plan')}</p>
      </header>
      <p className="px-4 text-xs text-pretty text-muted-foreground">{t(plan.startedAs ? 'planNoteAgain' : 'planNote')}</p>
      <ol className="flex flex-col px-2 pt-2">
        {steps.map((step, index) => (
          <PlanStepRow
            key={step.id}
            number={index + 1}
            step={step}
            lockedReason={busyReason}
            removeReason={busyReason ?? (steps.length === 1 ? refusalSentence({ code: 'plan_empty' }) : undefined)}
            onChange={(text) => putStep(step.id, text, step.text)}
            onRemove={() => remove(step, index)}
          />
        ))}
        {newStepId !== null && (
          <NewStep
            key={newStepId}
            number={steps.length + 1}
            onDone={(text) => {
              setNewStepId(null)
              if (text !== '') putStep(newStepId, text, null)
            }}
          />
        )}
      </ol>
      <div className="px-2">
        <Button
          size="sm"
          variant="ghost"
          className="text-muted-foreground"
          disabledReason={busyReason ?? (isFull ? refusalSentence({ code: 'plan_full' }) : undefined)}
          onClick={() => setNewStepId(createId())}
        >
          <Plus className="size-3.5" aria-hidden="true" />
          {t('addStep')}
        </Button>
      </div>
      <footer className="mt-2 flex flex-wrap items-center gap-x-2 gap-y-2 border-t border-border px-4 py-3">
        <Button
          ref={startRef}
          variant="primary"
          disabledReason={busyReason ?? (refused ? refusalSentence(refused) : undefined)}
          onClick={start}
        >
          {t('start')}
        </Button>
        <ToggledButton hadFocusRef={hadFocusRef} variant="ghost" disabledReason={busyReason} onClick={() => decide(true)}>
          {t('dismiss')}
        </ToggledButton>
        {refused && endsByCheaperPlan.has(refused.code) ? (
          <p className="basis-full text-xs text-pretty text-warning">
            {`${refusalSentence(refused).replace(/\.?$/, '.')} ${t('makePlanCheaper')}`}
          </p>
        ) : (
          me?.model && <p className="text-xs text-pretty text-muted-foreground">{priceText(me, expected, nowMs)}</p>
        )}
      </footer>
    </section>
  )
}

/** The files of the message that the plan answers. */
function questionFiles(thread: ThreadWithMessages | undefined, planId: string): readonly AttachedFile[] {
  const rowOf = (id: string | null | undefined) => thread?.messages.find((row) => row.id === id)
  const question = rowOf(rowOf(planId)?.parentId)
  return question ? filesOf(question.message) : []
}

/** Why the research cannot start now. The server applies the same functions. `expected`: its credits. */
function startRefusal(me: Me, files: readonly AttachedFile[], expected: number, nowMs: number): Refusal | null {
  if (!pageSettings.search) return refusal('search_unavailable')
  return turnRefusal(me, { mode: 'research', files }, nowMs) ?? creditRefusal(me.plan, me.usage, expected, nowMs)
}

/** Each of these ends with a cheaper research. */
const endsByCheaperPlan: ReadonlySet<RefusalCode> = new Set([
  'credits_short',
  'credits_above_day',
  'own_daily_limit_reached',
  'own_monthly_limit_reached',
])

function priceText({ plan, usage }: Me, expected: number, nowMs: number): string {
  const { left, limit } = modeAllowance('research', plan, usage, nowMs)
  return t('price', { credits: creditsText(expected), left, limit })
}

/** Two buttons that replace each other: the new one takes the focus, also when a refusal restores the old one. */
function ToggledButton({ hadFocusRef, ...props }: ButtonProps & { readonly hadFocusRef: RefObject<boolean> }) {
  const ref = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const button = ref.current
    if (hadFocusRef.current) button?.focus({ preventScroll: true })
    hadFocusRef.current = false
    return () => {
      hadFocusRef.current = document.activeElement === button
    }
  }, [hadFocusRef])
  return <Button ref={ref} {...props} />
}

/** A completed plan, read-only. Its result is another version of the answer. */
export const CompletedPlan = ({ plan: { steps } }: { readonly plan: Plan }) => (
  <Disclosure summary={`${t('plan')} · ${t('planDone')}`}>
    <ol className="ml-[0.1875rem] flex flex-col border-l-2 border-foreground/12 pl-4 text-sm">
      {steps.map((step, index) => (
        <DonePlanStep key={step.id} number={index + 1} step={step} />
      ))}
    </ol>
  </Disclosure>
)
