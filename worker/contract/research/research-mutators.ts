/**
 * Mutators for a research plan: change it, dismiss it, restore it and start it. Only starting it is charged. A busy thread refuses changes,
 * and so does a plan that is no longer the last message. A repeated mutation that already took effect succeeds without a write, so a
 * reloaded page can resend it.
 */
import * as z from 'zod/mini'
import { filesOf } from '../files/files.ts'
import { idSchema, modelIdSchema } from '../ids.ts'
import { maxPlanStepChars, maxPlanSteps } from '../limits.ts'
import {
  at,
  checkTurn,
  laterExpiry,
  mustFindMessage,
  mustFindThread,
  mustFindVisible,
  mustHaveStorage,
  mutator,
  refuse,
  type Tx,
  timeOf,
} from '../mutator-rules.ts'
import type { RowOf, Viewer } from '../schema.ts'
import { isBlank } from '../text.ts'
import type { AnswerMessage } from '../threads/messages.ts'
import { planMoved, waitAgain } from '../threads/queue-mutators.ts'
import { isBusy } from '../threads/thread-status.ts'
import { isWaitingPlan, type ResearchPlan, researchPlanOf, withPlan } from './research.ts'

const planArgs = { threadId: idSchema, messageId: idSchema, at }
const stepId = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/))
const stepArgs = z.object({ ...planArgs, stepId, text: z.string().check(z.maxLength(maxPlanStepChars)) })
const removeStepArgs = z.object({ ...planArgs, stepId })
const dismissArgs = z.object({ ...planArgs, isDismissed: z.boolean() })
const startResearchArgs = z.object({
  ...planArgs,
  answerId: idSchema,
  modelId: modelIdSchema,
  /** `startedAs` of the plan as the client sees it. A client that has not seen a report cannot start a second one. */
  after: z.optional(idSchema),
})

type Found = { readonly thread: RowOf<'thread'>; readonly message: AnswerMessage; readonly parentId: string; readonly plan: ResearchPlan }

const mustFindPlan = async (tx: Tx, ctx: Viewer, threadId: string, messageId: string): Promise<Found> => {
  const thread = await mustFindThread(tx, ctx, threadId)
  const { message, parentId } = await mustFindVisible(tx, thread, messageId)
  const plan = message.role === 'assistant' ? researchPlanOf(message.parts) : null
  if (message.role !== 'assistant' || plan === null || parentId == null) throw refuse('invalid_request')
  return { thread, message, parentId, plan }
}

const mustWait = ({ thread, message }: Found): void => {
  if (isBusy(thread)) throw refuse('thread_busy')
  if (!isWaitingPlan(message.parts)) throw refuse('invalid_request')
}

const mustBeLast = ({ thread, message }: Found): void => {
  if (thread.headId !== message.id) throw refuse('plan_passed')
}

const mustBeOpen = (found: Found): void => {
  mustWait(found)
  mustBeLast(found)
}

const save = (tx: Tx, { message }: Found, plan: ResearchPlan, nowMs: number): Promise<void> =>
  tx.mutate.message.update({ id: message.id, message: withPlan(message, plan), updatedAt: nowMs })

export const researchMutators = {
  /** Changes the step with this id, or adds it at the end. */
  putStep: mutator({ args: stepArgs, addsContent: true }, async ({ tx, args, ctx }) => {
    const found = await mustFindPlan(tx, ctx, args.threadId, args.messageId)
    const { steps } = found.plan
    const text = args.text.replace(/\s+/g, ' ').trim()
    const known = steps.find(({ id }) => id === args.stepId)
    if (known?.text === text) return
    mustBeOpen(found)
    if (isBlank(text)) throw refuse('message_empty')
    if (!known && steps.length >= maxPlanSteps) throw refuse('plan_full')
    await mustHaveStorage(tx, ctx, timeOf(ctx, args.at))
    // The queries belong to the old text.
    const step = { id: args.stepId, text, queries: [] }
    const next = known ? steps.map((other) => (other.id === step.id ? step : other)) : [...steps, step]
    await save(tx, found, { ...found.plan, steps: next }, timeOf(ctx, args.at))
  }),

  removeStep: mutator({ args: removeStepArgs, reduces: true }, async ({ tx, args, ctx }) => {
    const found = await mustFindPlan(tx, ctx, args.threadId, args.messageId)
    const steps = found.plan.steps.filter(({ id }) => id !== args.stepId)
    if (steps.length === found.plan.steps.length) return
    mustBeOpen(found)
    if (steps.length === 0) throw refuse('plan_empty')
    await save(tx, found, { ...found.plan, steps }, timeOf(ctx, args.at))
  }),

  /** Dismisses or restores the plan. */
  dismiss: mutator({ args: dismissArgs }, async ({ tx, args, ctx }) => {
    const found = await mustFindPlan(tx, ctx, args.threadId, args.messageId)
    const { isDismissed = false, ...plan } = found.plan
    if (isDismissed === args.isDismissed) return
    mustBeOpen(found)
    await save(tx, found, args.isDismissed ? { ...plan, isDismissed: true } : plan, timeOf(ctx, args.at))
    await planMoved(tx, found.thread.id, args.isDismissed)
  }),

  /**
   * Starts the current plan; the report is the next version of the answer. The user can go back to a plan and start it again. A concurrent
   * start on another device is refused.
   */
  start: mutator({ args: startResearchArgs }, async ({ tx, args, ctx }) => {
    const nowMs = timeOf(ctx, args.at)
    const found = await mustFindPlan(tx, ctx, args.threadId, args.messageId)
    const { thread, parentId, plan } = found
    if (plan.startedAs === args.answerId) return
    // Checked before `thread_busy`, which is also true while another report is written but is less specific.
    if (plan.startedAs !== args.after) throw refuse('plan_started')
    mustBeOpen(found)
    if (plan.isDismissed) throw refuse('plan_set_aside')
    if (plan.steps.length === 0) throw refuse('plan_empty')
    const question = await mustFindMessage(tx, thread.id, parentId)
    await checkTurn(tx, ctx, { modelId: args.modelId, mode: 'research', files: filesOf(question.message) }, nowMs)
    await waitAgain(tx, thread, parentId)
    await save(tx, found, { ...plan, startedAs: args.answerId }, nowMs)
    await tx.mutate.thread.update({
      id: thread.id,
      status: 'submitted',
      streamId: args.answerId,
      headId: parentId,
      updatedAt: nowMs,
      compared: null,
      ...laterExpiry(thread, nowMs),
    })
  }),
}
