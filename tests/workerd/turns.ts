// A turn as `threads.send` creates it: rows in D1 and a start command for a generation.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Env } from '../../worker/bindings.ts'
import { generationRequest, type StreamRequest } from '../../worker/chat/turn/stream-request.ts'
import { streamWaitMs } from '../../worker/contract/limits.ts'
import type { TurnMode } from '../../worker/contract/models/modes.ts'
import type { RowOf } from '../../worker/contract/schema.ts'
import { eventStreamDecoder, type StreamEvent } from '../../worker/contract/threads/event-stream.ts'
import { applyChunk } from '../../worker/contract/threads/message-stream.ts'
import type { AnswerMessage, MessagePart } from '../../worker/contract/threads/messages.ts'
import type { StartTurn } from '../../worker/contract/threads/turn.ts'
import { newUserId } from '../../worker/db/shards.ts'
import { content } from './bindings.ts'
import type { FaultyGeneration } from './faulty-generation.ts'
import { testAbortReason } from './sync-object.ts'
import { until } from './until.ts'

/** The class that is bound under the name of `Generation` here. */
export const bindings = env as unknown as Omit<Env, 'GENERATION'> & { readonly GENERATION: DurableObjectNamespace<FaultyGeneration> }

/** The credits of the model in every turn here. */
export const credits = 3
const day = 20_000
let turns = 0

const model: RowOf<'model'> = {
  id: 'kimi-k2',
  name: 'Kimi K2',
  model: 'moonshotai/kimi-k2',
  provider: 'gateway',
  description: '',
  capabilities: ['tools'],
  effort: null,
  icon: 'moonshot',
  credits,
  access: null,
  inputMicroDollarsPerMillionTokens: null,
  cachedInputMicroDollarsPerMillionTokens: null,
  outputMicroDollarsPerMillionTokens: null,
  contextTokens: null,
  maxOutputTokens: null,
  position: 1,
  createdAt: 1,
  updatedAt: 1,
  unavailable: null,
  temperature: null,
  options: null,
  fallbackIds: null,
}

/** The objects of given turns, by generation. */
const objectIds = new Map<string, DurableObjectId>()

export const newObjectId = (): string => bindings.GENERATION.newUniqueId().toString()

/** Each turn has a separate thread, and a separate user unless `by` names one, so that tests are independent. */
export async function givenTurn(
  text: string,
  {
    needsTitle = true,
    continued,
    mode = 'chat',
    by,
  }: { needsTitle?: boolean; continued?: readonly MessagePart[]; mode?: TurnMode; by?: StartTurn } = {},
): Promise<StartTurn> {
  const number = ++turns
  const [threadId, parentId, generationId] = ['thread', 'question', 'generation'].map((kind) => `${kind}-${number}-of-test`) as [
    string,
    string,
    string,
  ]
  const userId = by?.userId ?? newUserId(bindings)
  const objectId = bindings.GENERATION.newUniqueId()
  objectIds.set(generationId, objectId)
  const question = { id: parentId, role: 'user', parts: [{ type: 'text', text }] } as const
  await content.batch([
    content
      .prepare(
        `insert into thread (id, userId, title, status, streamId, headId, createdAt, updatedAt) values (?, ?, ?, 'submitted', ?, ?, 1, 1)`,
      )
      .bind(threadId, userId, needsTitle ? null : 'A title given before', generationId, parentId),
    content
      .prepare('insert into message (id, threadId, userId, parentId, message, createdAt, updatedAt) values (?, ?, ?, null, ?, 1, 1)')
      .bind(parentId, threadId, userId, JSON.stringify(question)),
    content
      .prepare(
        `insert into generation (id, userId, threadId, parentId, modelId, mode, status, credits, day, createdAt, objectId) values (?, ?, ?, ?, 'kimi-k2', ?, 'open', ?, ?, 1, ?)`,
      )
      .bind(generationId, userId, threadId, parentId, mode, credits, day, objectId.toString()),
    content
      .prepare(
        `insert into creditLedger (id, userId, generationId, kind, credits, research, day, dailyLimit, researchLimit, createdAt)
       values (?, ?, ?, 'reserve', ?, ?, ?, 200, 15, 1)`,
      )
      .bind(`${generationId}:reserve`, userId, generationId, credits, mode === 'research' ? 1 : 0, day),
  ])
  return {
    generationId,
    userId,
    threadId,
    parentId,
    history: [question],
    ...(continued ? { continued } : {}),
    model,
    fallbacks: [],
    mode,
    plan: 'free',
    effort: null,
    needsTitle,
    profile: { name: 'Ada' },
  }
}

/** The id of the object of a given turn; a new one for a turn that was not given. */
export function objectIdOf({ generationId }: Pick<StartTurn, 'generationId'>): DurableObjectId {
  const objectId = objectIds.get(generationId) ?? bindings.GENERATION.newUniqueId()
  objectIds.set(generationId, objectId)
  return objectId
}

export const generationOf = (turn: Pick<StartTurn, 'generationId'>): DurableObjectStub<FaultyGeneration> =>
  bindings.GENERATION.get(objectIdOf(turn))

/** The object of a turn that a user's object opened. `generationOf` finds it afterwards. */
export async function recordedGeneration(generationId: string): Promise<DurableObjectStub<FaultyGeneration>> {
  const objectId = await content.prepare('select objectId from generation where id = ?').bind(generationId).first<string>('objectId')
  const id = bindings.GENERATION.idFromString(objectId ?? '')
  objectIds.set(generationId, id)
  return bindings.GENERATION.get(id)
}

/** Ends an object like a crash: at once, in the middle of its work. */
export async function kill(command: StartTurn): Promise<void> {
  // The call fails with the object.
  await inside(command, (_generation, state) => state.abort(testAbortReason)).catch(() => undefined)
}

/** Ends an object like the platform does when it is idle. */
export const evict = (command: StartTurn): Promise<void> => evictDurableObject(generationOf(command))
export const fireAlarm = (command: StartTurn): Promise<boolean> => runDurableObjectAlarm(generationOf(command))
/** Waits until the object has its alarm: an answer without tools starts before it. */
export async function untilWatched(command: StartTurn): Promise<void> {
  const alarm = () => inside(command, (_generation, { storage }) => storage.getAlarm())
  await until(alarm, (atMs) => atMs !== null, 'an alarm of its own')
}
export const inside = <T>(
  command: StartTurn,
  look: (generation: FaultyGeneration, state: DurableObjectState) => T | Promise<T>,
): Promise<T> => runInDurableObject(generationOf(command), look)

/** Waits for the object to know that the ending is in D1. */
export const untilSettled = (command: StartTurn) =>
  until(
    () => inside(command, (_generation, { storage }) => [...storage.sql.exec('select 1 from turn where settledAtMs is not null')].length),
    (count) => count === 1,
    'settled',
  )

/** As if its answer had been settled longer ago than the log is kept. */
export const ageLog = (command: StartTurn): Promise<void> =>
  inside(command, (_generation, { storage }) => {
    storage.sql.exec('update turn set settledAtMs = settledAtMs - 11 * 60 * 1000')
  })

/** The number of the object's tables, and its alarm. */
export const tablesAndAlarm = (command: StartTurn) =>
  inside(command, async (_generation, { storage }) => [
    [...storage.sql.exec("select 1 from sqlite_master where name in ('turn', 'segment')")].length,
    await storage.getAlarm(),
  ])

export type Row = Record<string, unknown>

/** All rows of a turn in D1. */
export async function recordOf({ generationId, threadId, userId }: StartTurn) {
  const first = (sql: string, ...values: string[]) =>
    content
      .prepare(sql)
      .bind(...values)
      .first<Row>()
  const all = async (sql: string, ...values: string[]) =>
    (
      await content
        .prepare(sql)
        .bind(...values)
        .all<Row>()
    ).results
  const answers = await all('select parentId, message from message where id = ?', generationId)
  return {
    thread: await first('select title, status, streamId, headId from thread where id = ?', threadId),
    generation: await first('select status, error from generation where id = ?', generationId),
    ledger: await all('select kind, credits, day from creditLedger where generationId = ? order by kind', generationId),
    usage: await first('select credits, day from usage where userId = ?', userId),
    answers: answers.length,
    parentId: answers[0]?.parentId ?? null,
    answer: answers[0] ? (JSON.parse(String(answers[0].message)) as AnswerMessage) : null,
  }
}

/** Waits until the turn has ended in D1. */
export async function untilEnded({ generationId }: Pick<StartTurn, 'generationId'>): Promise<void> {
  const status = () => content.prepare('select status from generation where id = ?').bind(generationId).first<string>('status')
  await until(status, (is) => is !== 'open', 'the end of the turn')
}

/** A session that D1 has confirmed. */
export const readSession = { sessionId: 'session-of-test', isSessionRead: true } as const

type StreamOf = Pick<StreamRequest, 'generationId' | 'userId' | 'threadId'> & Partial<StreamRequest>

export function streamRequest({ generationId, userId, threadId, ...session }: StreamOf, after = 0): Request {
  const { sessionId, isSessionRead, readerId, waitMs } = { ...readSession, readerId: '', waitMs: streamWaitMs, ...session }
  const request = { generationId, userId, threadId, sessionId, isSessionRead, readerId, waitMs, after }
  return generationRequest(request, new AbortController().signal)
}

export const openStream = (asked: StreamOf, after = 0): Promise<Response> => generationOf(asked).fetch(streamRequest(asked, after))

/** Reads events until `enough` returns true or the stream ends, then cancels. */
export async function readEvents(
  response: Response,
  enough: (events: readonly StreamEvent[]) => boolean = () => false,
): Promise<StreamEvent[]> {
  if (!response.body) throw new Error(`no body, status ${response.status}`)
  const decode = eventStreamDecoder()
  const text = new TextDecoder()
  const events: StreamEvent[] = []
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return events
    events.push(...decode(text.decode(value, { stream: true })))
    if (!enough(events)) continue
    await reader.cancel()
    return events
  }
}

export const partsOf = (events: readonly StreamEvent[]): readonly MessagePart[] =>
  events.reduce<readonly MessagePart[]>((parts, event) => (event.type === 'chunk' ? applyChunk(parts, event.chunk) : parts), [])

export const textIn = (parts: readonly MessagePart[]): string =>
  parts.map((part) => (part.type === 'text' && 'text' in part ? part.text : '')).join('')

/** The text of `/demo chunks=count`. */
export const words = (count: number): string => Array.from({ length: count }, (_, index) => `word${index + 1} `).join('')
