/**
 * Queued messages that a daily limit holds. They are sent when there is room: on the next UTC day, with another plan, or when credits
 * return. Pure.
 */
import { asQueryInternals } from '@rocicorp/zero/bindings'
import { isDailyHold, nextDayStartMs } from '../contract/access.ts'
import { answerNow, planFacts } from '../contract/plan-facts.ts'
import type { RowOf, TableName } from '../contract/schema.ts'
import { turnRefusal } from '../contract/turn-refusal.ts'
import type { Engine } from '../sync/engine/types.ts'

/** False while a daily limit still refuses it. Any other refusal is detected by sending it. */
export function hasRoom(engine: Engine, userId: string, queued: RowOf<'queuedMessage'>, nowMs: number): boolean {
  const model = find(engine, 'model', queued.modelId)
  const usage = find(engine, 'usage', userId)
  const plan = answerNow(planFacts(userId, nowMs), (query) => engine.run(asQueryInternals(query).ast))
  const refused = turnRefusal({ plan, model, usage }, { mode: queued.mode ?? 'chat', files: queued.files ?? [] }, nowMs)
  return refused === null || !isDailyHold(refused.code)
}

/** Chosen. The day begins at once for all users; their objects wake one after the other. */
const spreadMs = 60_000

/** A time in the next UTC day. */
export const nextResetAt = (userId: string, nowMs: number): number => nextDayStartMs(nowMs) + (fingerprint(userId) % spreadMs)

const fingerprint = (text: string): number => [...text].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) >>> 0, 7)

/** The replica's rows are those of the contract's tables; a usage row has its user's id. */
const find = <T extends TableName>(engine: Engine, table: T, id: string) => engine.get(table, { id }) as unknown as RowOf<T> | undefined
