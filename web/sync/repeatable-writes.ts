/**
 * The mutations that are repeated after their page closed: the value that each changes, and how the value is read. One that is not in the table
 * is lost with a page that closes within a second of it.
 */
import type { Zero } from '@rocicorp/zero'
import { definitions, type SettingArgs } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { type ResearchPlan, researchPlanOf } from '../../worker/contract/research/research.ts'

/** `{ value }`: as the server has it. Null: its thread was deleted. Undefined: not known yet. */
export type Found = { readonly value: unknown } | null | undefined

type Repeatable<Args> = {
  /** Of the changed value: a later write with the same key replaces an earlier one. */
  key(args: Args): string
  /** The value after the write. Without it, repeating a write that has arrived would be refused. */
  leaves?(args: Args): unknown
  /** `saw`: the values that the write may find. */
  now(zero: Zero, args: Args, saw: readonly unknown[]): Promise<Found>
}

type PlanArgs = { readonly threadId: string; readonly messageId: string }
type MessageArgs = { readonly threadId: string; readonly answerId: string; readonly at: number }

/** The part of a mutator's definition that parses its arguments (Standard Schema). */
type Definition<Args> = {
  readonly validator:
    | { readonly '~standard': { validate(value: unknown): unknown; readonly types?: { readonly input: Args } | undefined } }
    | undefined
}

type Entry = Definition<unknown> & Repeatable<object>
function entry<Args extends object>({ validator }: Definition<Args>, how: Repeatable<NoInfer<Args>>): Entry {
  return { validator, ...how } as Entry
}

/** By the name of the mutator. */
const repeatable: { readonly [name: string]: Entry } = {
  'threads.rename': entry(definitions.threads.rename, {
    key: ({ threadId }) => `title.${threadId}`,
    leaves: ({ title }) => title.trim(),
    now: (zero, { threadId }) => inThread(zero, threadId, ({ title }) => title ?? null),
  }),
  'threads.delete': entry(definitions.threads.delete, {
    key: ({ threadIds }) => `deletion.${threadIds}`,
    now: (zero, { threadIds: [threadId = ''] }) => inThread(zero, threadId, ({ updatedAt }) => updatedAt),
  }),
  'settings.update': entry(definitions.settings.update, {
    key: (changes) => `setting.${Object.keys(changes)}`,
    leaves: (changes) => changes,
    now: async (zero, changes) => ({ value: settingsOf((await zero.run(queries.me(), complete))?.setting, changes) }),
  }),
  'threads.send': entry(
    definitions.threads.send,
    messageWith(({ messageId }) => messageId),
  ),
  'queue.add': entry(
    definitions.queue.add,
    messageWith(({ id }) => id),
  ),
  'queue.remove': entry(definitions.queue.remove, {
    key: ({ id }) => `queued.${id}`,
    // A message keeps its id when it leaves the queue.
    now: async (zero, { id }) => ({ value: (await messagesOf(zero, [id])).length > 0 }),
  }),
  'research.putStep': entry(definitions.research.putStep, {
    key: stepKey,
    leaves: ({ text }) => text,
    now: (zero, args, saw) => inPlan(zero, args, saw, (plan) => stepText(plan, args.stepId)),
  }),
  'research.removeStep': entry(definitions.research.removeStep, {
    key: stepKey,
    leaves: () => null,
    now: (zero, args, saw) => inPlan(zero, args, saw, (plan) => stepText(plan, args.stepId)),
  }),
  'research.dismiss': entry(definitions.research.dismiss, {
    key: ({ messageId }) => `plan.${messageId}`,
    leaves: ({ isDismissed }) => isDismissed,
    now: (zero, args, saw) => inPlan(zero, args, saw, ({ isDismissed }) => isDismissed ?? false),
  }),
  'research.start': entry(definitions.research.start, {
    key: ({ answerId }) => `start.${answerId}`,
    now: (zero, args, saw) => inPlan(zero, args, saw, async () => (await messagesOf(zero, [args.answerId])).length > 0),
  }),
}

type Mutated = { readonly name: string; readonly args: object }

/** False for a mutation that this version of the page does not repeat. */
export const isRepeatable = (name: string): boolean => Object.hasOwn(repeatable, name)

/** False for arguments that are damaged, or of another version of the page. */
export function hasValidArgs({ name, args }: Mutated): boolean {
  const parsed = repeatable[name]?.validator?.['~standard'].validate(args)
  return typeof parsed === 'object' && parsed !== null && !('issues' in parsed)
}

export const keyOf = (write: Mutated): string => howOf(write).key(write.args)
export const valueAfter = (write: Mutated): unknown => howOf(write).leaves?.(write.args)
export const valueNow = (zero: Zero, write: Mutated & { readonly saw: readonly unknown[] }): Promise<Found> =>
  howOf(write).now(zero, write.args, write.saw)

function howOf({ name }: Mutated): Repeatable<object> {
  const how = repeatable[name]
  if (!how) throw new Error(`${name} is not repeated.`)
  return how
}

/** Of a message that is sent or queued. */
export const messageKey = (messageId: string): string => `message.${messageId}`
/** What the write of a message may find. */
export const noMessage = { inThread: 'no message', asFirst: 'no thread' } as const

/** The settings of the same names. */
export const settingsOf = (setting: { readonly [name: string]: unknown } | undefined, changes: SettingArgs): object =>
  Object.fromEntries(Object.keys(changes).map((name) => [name, setting?.[name] ?? null]))

const complete = { type: 'complete' } as const
const loadFind = () => import('./find-message.ts')

function messageWith<Args extends MessageArgs>(idOf: (args: Args) => string): Repeatable<Args> {
  return {
    key: (args) => messageKey(idOf(args)),
    now: async (zero, args, saw) => (await loadFind()).findMessage(zero, { ...args, messageId: idOf(args) }, saw),
  }
}

const messagesOf = (zero: Zero, messageIds: readonly string[]) =>
  zero.run(queries.messages.byIds({ messageIds: [...messageIds] }), complete)

type ThreadOf = { readonly title: string | null; readonly updatedAt: number }
async function inThread(zero: Zero, threadId: string, read: (thread: ThreadOf) => unknown): Promise<Found> {
  const thread = await zero.run(queries.threads.one({ threadId }), complete)
  return thread ? { value: await read(thread) } : null
}

async function inPlan(zero: Zero, { threadId, messageId }: PlanArgs, saw: readonly unknown[], read: (plan: ResearchPlan) => unknown) {
  const [message] = await messagesOf(zero, [messageId])
  const plan = researchPlanOf(message?.message.parts ?? [])
  // The server refuses a change of a deleted plan.
  return inThread(zero, threadId, () => (plan ? read(plan) : saw[0]))
}

const stepText = ({ steps }: ResearchPlan, stepId: string): string | null => steps.find(({ id }) => id === stepId)?.text ?? null

function stepKey({ messageId, stepId }: PlanArgs & { readonly stepId: string }): string {
  return `step.${messageId}.${stepId}`
}
