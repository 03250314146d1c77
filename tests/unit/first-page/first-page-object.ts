/** One user's object, reduced to the first-page cache: rows, KV, and the alarm, which the test fires. */

import { vi } from 'vitest'
import { type CachedFirstPage, firstPageKey, parseCachedFirstPage } from '../../../worker/db/first-page.ts'
import { FirstPageWriter } from '../../../worker/first-page/first-page.ts'
import type { Row } from '../../../worker/sync/engine/types.ts'
import { FakeKv } from '../../support/fake-kv.ts'
import { createNodeSql } from '../../support/node-sql.ts'
import { openState } from '../sync/replica.ts'

export const userId = 'ada'
export const startMs = 1_800_000_000_000

export function newObject() {
  const kv = new FakeKv()
  const state = openState(createNodeSql())
  let flights: Promise<void>[] = []
  const wake = () =>
    new FirstPageWriter({ env: { FIRST_PAGES: kv.namespace }, userId, state, inBackground: (work) => void flights.push(work) })
  let writer = wake()
  const landed = async () => {
    while (flights.length > 0) {
      const all = flights
      flights = []
      await Promise.all(all)
    }
  }
  const at = async <T>(nowMs: number, act: (writer: FirstPageWriter) => T): Promise<T> => {
    kv.nowMs = nowMs
    const result = act(writer)
    writer.send()
    await landed()
    return result
  }
  const apply = (table: string, row: Row) =>
    state.sql.transaction(() => void state.engine.apply([{ table, id: { id: String(row.id) }, row }]))
  const setting = (nickname: string) => apply('setting', { id: userId, userId, mode: 'dark', theme: 'default', nickname })
  const deadline = () => state.meta.alarmAt('first-page')
  return {
    kv,
    state,
    at,
    apply,
    setting,
    deadline,
    changed: (nickname: string, nowMs: number, sessions: readonly string[] = ['laptop']) => {
      setting(nickname)
      return at(nowMs, (held) => held.update(sessions, nowMs))
    },
    connected: (sessions: readonly string[], nowMs: number) => at(nowMs, (held) => held.connected(sessions, nowMs)),
    /** Like the alarm handler. */
    fire: async (nowMs: number) => {
      const due = deadline()
      if (due === null || due > nowMs) return
      state.meta.setAlarmAt('first-page', null)
      await at(nowMs, (held) => held.update([], nowMs))
    },
    evict: () => {
      writer = wake()
    },
    firstPage: (sessionId = 'laptop'): CachedFirstPage | null =>
      parseCachedFirstPage(kv.values.get(firstPageKey(userId, sessionId)) ?? '', userId, kv.nowMs),
  }
}

/** Statements that record a KV write fail until the returned function is called. */
export function failWriteRecord({ state }: ReturnType<typeof newObject>): () => void {
  const run = vi.spyOn(state.sql, 'run').mockImplementation((text) => {
    throw new Error(`not stored: ${text}`)
  })
  return () => run.mockRestore()
}
