/** The part of a Durable Object's storage that a generation uses, over `node:sqlite` in memory, and a manual clock. */
import { DatabaseSync } from 'node:sqlite'
import type { Later, TurnStorage } from '../../worker/chat/turn/turn-state.ts'

export function createAnswerStorage(): TurnStorage {
  const database = new DatabaseSync(':memory:')
  return {
    sql: {
      exec: (query, ...bindings) => {
        const rows = database.prepare(query).all(...bindings)
        return { toArray: () => rows }
      },
    },
    transactionSync: (run) => {
      database.exec('begin')
      try {
        run()
        database.exec('commit')
      } catch (error) {
        database.exec('rollback')
        throw error
      }
    },
    sync: async () => {},
  }
}

export type Timers = { readonly later: Later; readonly nowMs: () => number; advance(byMs: number): void; readonly pending: number }

export function createTimers(): Timers {
  let now = 0
  const waiting = new Set<{ atMs: number; run: () => void }>()
  return {
    later: (delayMs, run) => {
      const timer = { atMs: now + delayMs, run }
      waiting.add(timer)
      return () => waiting.delete(timer)
    },
    nowMs: () => now,
    advance: (byMs) => {
      const untilMs = now + byMs
      for (;;) {
        const next = [...waiting].sort((a, b) => a.atMs - b.atMs)[0]
        if (!next || next.atMs > untilMs) break
        waiting.delete(next)
        now = next.atMs
        next.run()
      }
      now = untilMs
    },
    get pending() {
      return waiting.size
    },
  }
}
