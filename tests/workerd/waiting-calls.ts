// A user with a connected browser, whose turns wait with a call of the counting source. The clock moves only when a test moves it.
import { vi } from 'vitest'
import type { AnswerMessage, ToolPart } from '../../worker/contract/threads/messages.ts'
import { answered, gate, sent } from './approvals.ts'
import { content } from './bindings.ts'
import { fireAlarm, inside } from './sync-object.ts'
import { connected, freshId, me, newUser, recentThreads, type SyncUser, turnArgs, type Wire } from './sync-wire.ts'
import { inside as insideTurn, objectIdOf, fireAlarm as ringTurn } from './turns.ts'
import { until } from './until.ts'

/** Set by `beginDay`. */
export let ada: SyncUser
export let wire: Wire
export let nowMs: number

/** Before each test. */
export async function beginDay(): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'] })
  nowMs = Date.UTC(2030, 0, 1, 12)
  vi.setSystemTime(nowMs)
  sent.length = 0
  answered.length = 0
  Object.assign(gate, { wait: null, before: null, digest: '1', asks: [], progress: [] })
  ada = await newUser()
  wire = await connected(ada, { queries: [me, recentThreads] })
}

/** After each test. */
export async function endDay(): Promise<void> {
  vi.useRealTimers()
  await wire.close()
}

export async function reconnect(): Promise<void> {
  wire = await wire.reconnect()
}

type Turn = Parameters<typeof insideTurn>[0]

export const turnOf = (generationId: string, threadId: string) => ({ generationId, threadId, userId: ada.userId }) as Turn

/** The object of the next turn is found by `turnOf`. */
export const expectTurn = (generationId: string, threadId: string) =>
  inside(ada, ({ nextObjectIds }) => void nextObjectIds.push(objectIdOf(turnOf(generationId, threadId))))

export async function tenSecondsLater(turn: Turn): Promise<void> {
  nowMs += 10_000
  vi.setSystemTime(nowMs)
  await fireAlarm(ada)
  await ringTurn(turn)
}

export type Asked = { readonly threadId: string; readonly messageId: string; readonly answerId: string }
type InThread = Pick<Asked, 'threadId'>

export const answerOf = (id: string): AnswerMessage => wire.row('message', id)?.message as AnswerMessage
export const callsOf = (id: string): readonly ToolPart[] => answerOf(id).parts.filter((part): part is ToolPart => 'toolCallId' in part)

export const untilAnswered = ({ threadId }: InThread, answerId: string) =>
  wire.until(
    () => wire.row('thread', threadId)?.status === 'ready' && wire.row('message', answerId) !== undefined,
    `the answer ${answerId}`,
  )

export const untilCalls = (count: number) =>
  until(
    async () => sent.length,
    (calls) => calls === count,
    `call ${count}`,
  )

/** The turn has written its alarm, so it survives a crash. */
export const untilStarted = (turn: Turn) =>
  until(
    () => insideTurn(turn, (_object, { storage }) => storage.getAlarm()),
    (alarm) => alarm !== null,
    'a started turn',
  )

export const untilStuck = (turn: Turn) =>
  until(
    () => insideTurn(turn, ({ stuck }) => stuck.count),
    (count) => count > 0,
    'a stuck turn',
  )

/** A turn that waits for the user's approval. */
export async function asked(notes = 'Tea'): Promise<Asked> {
  const args = turnArgs(`/demo delay=0 note=${notes}`)
  await wire.confirmed(wire.mutate('threads.send', args))
  await untilAnswered(args, args.answerId)
  return args
}

export const approvalsOf = async (threadId: string) =>
  (
    await content
      .prepare('select * from approval where threadId = ? order by createdAt, rowid')
      .bind(threadId)
      .all<Record<string, string | number | null>>()
  ).results

export const waitingIn = async (threadId: string) => (await approvalsOf(threadId)).find(({ state }) => state === 'pending')

/** Decides the first call that waits. Returns the id of the answer that continues. */
export async function decide({ threadId }: InThread, decision: object): Promise<string> {
  const waiting = await waitingIn(threadId)
  const answerId = freshId('answer')
  await expectTurn(answerId, threadId)
  await wire.confirmed(wire.mutate('approvals.decide', { id: waiting?.id, answerId, decision: 'once', ...decision }))
  return answerId
}

export const answersTo = async (parentId: string) =>
  (await content.prepare('select id from message where parentId = ?').bind(parentId).all<{ id: string }>()).results.map(({ id }) => id)
