/**
 * A person and the plan of a research: changing it on any device, setting it aside, and approving it, which is what costs something.
 * A plan that is being carried out is changed by nobody, because its thread is busy; one that the conversation has gone on from, by no
 * device that has not heard of it. Whoever asks once more for what has arrived is not refused, whatever has become of the plan since: a page
 * that was loaded anew asks so what became of what was pressed before.
 */
import { defineMutator } from '@rocicorp/zero'
import * as z from 'zod/mini'
import { refuse } from './errors.ts'
import { filesOf } from './files.ts'
import { idSchema } from './ids.ts'
import { maxPlanStepChars, maxPlanSteps } from './limits.ts'
import type { AnswerMessage } from './messages.ts'
import {
  at,
  checkTurn,
  isBusy,
  modelIdSchema,
  mustFindInSight,
  mustFindMessage,
  mustFindThread,
  mustHaveRoom,
  refusable,
  type Tx,
  timeOf,
} from './mutator-rules.ts'
import { planMoved, waitAgain } from './queue-mutators.ts'
import { isWaitingPlan, type Plan, planOf, withPlan } from './research.ts'
import type { RowOf } from './schema.ts'
import type { Viewer } from './viewer.ts'

const planArgs = { threadId: idSchema, messageId: idSchema, at }
const stepId = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/))
const stepArgs = z.object({ ...planArgs, stepId, text: z.string().check(z.maxLength(maxPlanStepChars)) })
const removeStepArgs = z.object({ ...planArgs, stepId })
const dismissArgs = z.object({ ...planArgs, isDismissed: z.boolean() })
export const startResearchArgs = z.object({
  ...planArgs,
  answerId: idSchema,
  modelId: modelIdSchema,
  /** The plan's `startedAs`, as its person sees it: a device that has not heard of a report does not order a second one. */
  after: z.optional(idSchema),
})

export type StartResearchArgs = z.infer<typeof startResearchArgs>

type Found = { readonly thread: RowOf<'thread'>; readonly message: AnswerMessage; readonly parentId: string; readonly plan: Plan }

const mustFindPlan = async (tx: Tx, ctx: Viewer, threadId: string, messageId: string): Promise<Found> => {
  const thread = await mustFindThread(tx, ctx, threadId)
  const { message, parentId } = await mustFindInSight(tx, thread, messageId)
  const plan = message.role === 'assistant' ? planOf(message.parts) : null
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

const save = (tx: Tx, { message }: Found, plan: Plan, nowMs: number): Promise<void> =>
  tx.mutate.message.update({ id: message.id, message: withPlan(message, plan), updatedAt: nowMs })

export const researchMutators = {
  /** Changes a step or, when there is none with this id, adds it at the end. */
  putStep: defineMutator(
    stepArgs,
    refusable(async ({ tx, args, ctx }) => {
      const found = await mustFindPlan(tx, ctx, args.threadId, args.messageId)
      const { steps } = found.plan
      const text = args.text.replace(/\s+/g, ' ').trim()
      const known = steps.find(({ id }) => id === args.stepId)
      if (known?.text === text) return
      mustBeOpen(found)
      if (text === '') throw refuse('message_empty')
      if (!known && steps.length >= maxPlanSteps) throw refuse('plan_full')
      await mustHaveRoom(tx, ctx, timeOf(ctx, args.at))
      // What it was searched for by belonged to the other words.
      const step = { id: args.stepId, text, queries: [] }
      const next = known ? steps.map((other) => (other.id === step.id ? step : other)) : [...steps, step]
      await save(tx, found, { ...found.plan, steps: next }, timeOf(ctx, args.at))
    }),
  ),

  removeStep: defineMutator(
    removeStepArgs,
    refusable(async ({ tx, args, ctx }) => {
      const found = await mustFindPlan(tx, ctx, args.threadId, args.messageId)
      const steps = found.plan.steps.filter(({ id }) => id !== args.stepId)
      if (steps.length === found.plan.steps.length) return
      mustBeOpen(found)
      if (steps.length === 0) throw refuse('plan_empty')
      await save(tx, found, { ...found.plan, steps }, timeOf(ctx, args.at))
    }),
  ),

  /** Sets the plan aside, or takes it up again. */
  dismiss: defineMutator(
    dismissArgs,
    refusable(async ({ tx, args, ctx }) => {
      const found = await mustFindPlan(tx, ctx, args.threadId, args.messageId)
      const { isDismissed = false, ...plan } = found.plan
      if (isDismissed === args.isDismissed) return
      mustBeOpen(found)
      await save(tx, found, args.isDismissed ? { ...plan, isDismissed: true } : plan, timeOf(ctx, args.at))
      await planMoved(tx, found.thread.id, args.isDismissed)
    }),
  ),

  /**
   * Approves the plan as it is now: what is carried out is the next version of the answer. Whoever goes back to a plan may start it again;
   * an approval that was under way while another device had it carried out is no second one.
   */
  start: defineMutator(
    startResearchArgs,
    refusable(async ({ tx, args, ctx }) => {
      const nowMs = timeOf(ctx, args.at)
      const found = await mustFindPlan(tx, ctx, args.threadId, args.messageId)
      const { thread, parentId, plan } = found
      if (plan.startedAs === args.answerId) return
      // Before its thread's being busy, which is true as well while the other report is written, and says less.
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
      })
    }),
  ),
}
