/** How the value that a repeated write changes is read from the server, by mutator. Loads with the resender. */
import type { Zero } from '@rocicorp/zero'
import { definitions } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { type ResearchPlan, researchPlanOf } from '../../worker/contract/research/research.ts'
import { isPermanentlyDeleted } from './deletion-checks.ts'
import type { Write } from './outbox.ts'
import { noMessage, type RepeatedArgs, settingsOf } from './repeatable-writes.ts'

/** `{ value }`: as the server has it. Null: its thread was deleted. Undefined: not known yet. */
export type Found = { readonly value: unknown } | null | undefined

/** `saw`: the values that the write may find. */
type Read<Args> = (zero: Zero, args: Args, saw: readonly unknown[]) => Promise<Found>

export function valueNow(zero: Zero, { name, args, saw }: Write): Promise<Found> {
  const read = reads[name as keyof RepeatedArgs] as Read<object>
  return read(zero, args, saw)
}

/** False for arguments that are damaged, or of another version of the page. */
export function hasValidArgs({ name, args }: Write): boolean {
  const [group = '', mutator = ''] = name.split('.')
  const { validator } = (definitions as unknown as Definitions)[group]?.[mutator] ?? {}
  const parsed = validator?.['~standard'].validate(args)
  return typeof parsed === 'object' && parsed !== null && !('issues' in parsed)
}

/** The part of each definition that parses the arguments (Standard Schema). */
type Definitions = {
  readonly [group: string]: {
    readonly [mutator: string]: { readonly validator?: { readonly '~standard': { validate(value: unknown): unknown } } }
  }
}

const reads: { readonly [Name in keyof RepeatedArgs]: Read<RepeatedArgs[Name]> } = {
  'threads.rename': (zero, { threadId }) => inThread(zero, threadId, ({ title }) => title ?? null),
  'threads.delete': (zero, { threadIds: [threadId = ''] }) => inThread(zero, threadId, ({ updatedAt }) => updatedAt),
  'threads.send': findMessage,
  'settings.update': async (zero, changes) => ({ value: settingsOf((await zero.run(queries.me(), complete))?.setting, changes) }),
  'queue.add': (zero, args, saw) => findMessage(zero, { ...args, messageId: args.id }, saw),
  // A message keeps its id when it leaves the queue.
  'queue.remove': async (zero, { id }) => ({ value: (await messagesOf(zero, [id])).length > 0 }),
  'research.putStep': (zero, args, saw) => inPlan(zero, args, saw, (plan) => stepText(plan, args.stepId)),
  'research.removeStep': (zero, args, saw) => inPlan(zero, args, saw, (plan) => stepText(plan, args.stepId)),
  'research.dismiss': (zero, args, saw) => inPlan(zero, args, saw, ({ isDismissed }) => isDismissed ?? false),
  'research.start': (zero, args, saw) => inPlan(zero, args, saw, async () => (await messagesOf(zero, [args.answerId])).length > 0),
}

const complete = { type: 'complete' } as const
/** Chosen: an Undo that was pressed in the last second must still reach this page. */
const undoMarginMs = 5000

/** `at`: the time of the optimistic row. */
type Sent = { readonly messageId: string; readonly threadId: string; readonly answerId: string; readonly at: number }

async function findMessage(zero: Zero, { messageId, threadId, answerId, at }: Sent, saw: readonly unknown[]): Promise<Found> {
  const thread = await zero.run(queries.threads.one({ threadId }), complete)
  if (!thread) {
    if (!(await isPermanentlyDeleted(zero, threadId, undoMarginMs))) return undefined
    return saw.includes(noMessage.asFirst) ? { value: noMessage.asFirst } : null
  }
  const rows = await messagesOf(zero, [messageId, answerId])
  const message = rows.find(({ id }) => id === messageId)
  const queued = thread.queue.find(({ id }) => id === messageId)
  // The server replaces the time of the optimistic row, and only the server answers. The optimistic row of a queued message has the time of the
  // one before it plus one, if that is later than this browser's clock.
  const isOptimistic = message
    ? message.createdAt === at && rows.length === 1
    : queued && (queued.createdAt === at || thread.queue.some(({ createdAt }) => createdAt + 1 === queued.createdAt))
  if (isOptimistic) return undefined
  return { value: message || queued ? 'message' : noMessage.inThread }
}

const messagesOf = (zero: Zero, messageIds: readonly string[]) =>
  zero.run(queries.messages.byIds({ messageIds: [...messageIds] }), complete)

type ThreadOf = { readonly title: string | null; readonly updatedAt: number }
async function inThread(zero: Zero, threadId: string, read: (thread: ThreadOf) => unknown): Promise<Found> {
  const thread = await zero.run(queries.threads.one({ threadId }), complete)
  return thread ? { value: await read(thread) } : null
}

type PlanArgs = { readonly threadId: string; readonly messageId: string }
async function inPlan(zero: Zero, { threadId, messageId }: PlanArgs, saw: readonly unknown[], read: (plan: ResearchPlan) => unknown) {
  const [message] = await messagesOf(zero, [messageId])
  const plan = researchPlanOf(message?.message.parts ?? [])
  // The server refuses a change of a deleted plan.
  return inThread(zero, threadId, () => (plan ? read(plan) : saw[0]))
}

const stepText = ({ steps }: ResearchPlan, stepId: string): string | null => steps.find(({ id }) => id === stepId)?.text ?? null
