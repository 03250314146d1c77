// Reading a streaming answer through the route and the object: access, resuming, and latency.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { streamAnswer } from '../../worker/chat/turn/stream-request.ts'
import type { StartTurn } from '../../worker/contract/threads/turn.ts'
import { linkGuest } from '../../worker/db/account-linking.ts'
import { guest } from './auth/browser.ts'
import { content } from './bindings.ts'
import { bindings, evict, generationOf, givenTurn, openStream, partsOf, readEvents, readSession, recordOf, untilEnded } from './turns.ts'

const route = (query: string, init?: RequestInit) => new Request(`https://parley.test/api/thread/any/stream${query}`, init)

describe('resuming', () => {
  test('[G8] sends exactly the missing events: twenty readers, each disconnecting and resuming', async () => {
    const turn = await givenTurn('/demo chunks=300 think=5 delay=1')
    await generationOf(turn).start(turn)
    const readers = Array.from({ length: 20 }, async (_, number) => {
      const events = []
      for (let last = 0; ; last = events.flatMap((event) => (event.type === 'chunk' ? [event.id] : [])).at(-1) ?? 0) {
        const more = await readEvents(await openStream(turn, last), (seen) => seen.length > number * 3)
        events.push(...more)
        if (events.at(-1)?.type === 'end') return events
      }
    })
    const all = await Promise.all(readers)
    await untilEnded(turn)
    const stored = (await recordOf(turn)).answer?.parts
    for (const events of all) {
      expect(events.flatMap((event) => (event.type === 'chunk' ? [event.id] : []))).toEqual(
        events.slice(0, -1).map((_, index) => index + 1),
      )
      expect(partsOf(events)).toEqual(stored)
    }
  })

  test('works from the log after the end, also in an object that was evicted', async () => {
    const turn = await givenTurn('/demo chunks=50 delay=0', { needsTitle: false })
    await generationOf(turn).start(turn)
    await untilEnded(turn)
    const whole = await readEvents(await openStream(turn))
    await evict(turn)
    const replayed = await readEvents(await openStream(turn))
    expect(replayed).toEqual(whole)
    expect(await readEvents(await openStream(turn, 40))).toEqual(whole.slice(40))
    expect(await readEvents(await openStream(turn, 10_000))).toEqual([{ type: 'end', ending: 'completed' }])
  })
})

describe('a token alone', () => {
  const tokenAccessMs = 10_000
  afterEach(() => void vi.useRealTimers())

  test('[G9] gives access to sessions that were connected when the turn started, for a moment, and to no others', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const turn = await givenTurn('/demo chunks=3000 delay=2')
    const early = openStream({ ...turn, sessionId: 'a tab of theirs', isSessionRead: false })
    await generationOf(turn).start({ ...turn, sessions: ['a tab of theirs', 'their phone'] })
    const askAs = async (sessionId: string | undefined) => {
      const response = await openStream({ ...turn, ...(sessionId === undefined ? readSession : { sessionId, isSessionRead: false }) })
      await response.body?.cancel()
      return response.status
    }
    expect((await readEvents(await early, (seen) => seen.length > 5)).length).toBeGreaterThan(5)
    expect(await Promise.all(['their phone', 'somebody', '', undefined].map(askAs))).toEqual([200, 401, 401, 200])
    vi.setSystemTime(Date.now() + tokenAccessMs)
    expect(await Promise.all(['their phone', undefined].map(askAs))).toEqual([401, 200])
    await generationOf(turn).stop(turn.generationId, turn.userId)
    await untilEnded(turn)
  })

  test('is invalid after the object that knew the connections has restarted', async () => {
    const turn = await givenTurn('/demo chunks=3 delay=0', { needsTitle: false })
    await generationOf(turn).start({ ...turn, sessions: ['theirs'] })
    await untilEnded(turn)
    await evict(turn)
    expect((await openStream({ ...turn, sessionId: 'theirs', isSessionRead: false })).status).toBe(401)
  })
})

describe('the route', () => {
  test('finds the generation of the thread, and responds with 204 if none is streaming', async () => {
    const turn = await givenTurn('/demo chunks=30 delay=3')
    await generationOf(turn).start(turn)
    const response = await streamAnswer(bindings, route(''), { ...turn, ...readSession })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toContain('no-store')
    const events = await readEvents(response)
    expect(events.at(-1)).toEqual({ type: 'end', ending: 'completed' })
    await untilEnded(turn)
    expect((await streamAnswer(bindings, route(''), { ...turn, ...readSession })).status).toBe(204)
    expect((await streamAnswer(bindings, route(''), { threadId: turn.threadId, userId: 'somebody-else', ...readSession })).status).toBe(204)
    const missed = route(`?generation=${turn.generationId}`, { headers: { 'last-event-id': '20' } })
    const again = await streamAnswer(bindings, missed, { ...turn, ...readSession })
    expect(await readEvents(again)).toEqual(events.slice(20))
  })

  test('[G1] refuses an invalid id at once, and a turn whose object is not of this namespace', async () => {
    const asked = { threadId: 'thread', userId: 'user', ...readSession }
    expect((await streamAnswer(bindings, route('?generation=x'), asked)).status).toBe(404)
    const turn = await givenTurn('/demo chunks=3 delay=0')
    for (const objectId of ['', 'no object', bindings.USER_SYNC.newUniqueId().toString()]) {
      await content.prepare('update generation set objectId = ? where id = ?').bind(objectId, turn.generationId).run()
      const named = route(`?generation=${turn.generationId}`)
      expect((await streamAnswer(bindings, named, { ...turn, ...readSession })).status).toBe(404)
    }
  })

  test('lets a reader wait for the start command; turns of other users are 404 like missing turns', async () => {
    const turn = await givenTurn('/demo chunks=3 delay=0')
    const ask = (changes: Partial<StartTurn> = {}) => {
      const asked = { ...turn, ...changes }
      return streamAnswer(bindings, route(`?generation=${asked.generationId}`), { ...asked, ...readSession })
    }
    const waiting = ask()
    const refused = [{ userId: 'somebody-else' }, { threadId: 'another-thread' }, { generationId: 'generation-never-opened' }].map(ask)
    await generationOf(turn).start(turn)
    expect((await readEvents(await waiting)).at(-1)).toEqual({ type: 'end', ending: 'completed' })
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([404, 404, 404])
  })

  test('an ended answer is not readable once it, a message above it or its thread is deleted', async () => {
    const turn = await givenTurn('/demo chunks=3 delay=0', { needsTitle: false })
    await generationOf(turn).start(turn)
    await untilEnded(turn)
    const status = async () => {
      const response = await streamAnswer(bindings, route(`?generation=${turn.generationId}`), { ...turn, ...readSession })
      await response.body?.cancel()
      return response.status
    }
    const setDeleted = (table: 'message' | 'thread', id: string, deletedAt: number | null) =>
      content.prepare(`update ${table} set deletedAt = ? where id = ?`).bind(deletedAt, id).run()
    for (const [table, id] of [
      ['message', turn.generationId],
      ['message', turn.parentId],
      ['thread', turn.threadId],
    ] as const) {
      await setDeleted(table, id, 1)
      expect([id, await status()]).toEqual([id, 404])
      await setDeleted(table, id, null)
      expect([id, await status()]).toEqual([id, 200])
    }
  })

  test('finds a turn that opened and ended before the object of its user was called, for a valid session', async () => {
    const { userId, sessionId } = await guest()
    const turn = await givenTurn('/demo chunks=3 delay=0')
    await linkGuest(bindings, { guestId: turn.userId, accountId: userId }, Date.now())
    await generationOf(turn).start({ ...turn, userId })
    await untilEnded(turn)
    const ask = async (session: string) => {
      let reads = 0
      // The first read does not see the row yet.
      const prepare = (sql: string) => content.prepare(sql.includes('isOpen') && reads++ === 0 ? `${sql} and false` : sql)
      const env = { ...bindings, CONTENT_DB_2: { prepare } as D1Database }
      const asked = { threadId: turn.threadId, userId, sessionId: session, isSessionRead: true }
      const response = await streamAnswer(env, route(`?generation=${turn.generationId}`), asked)
      expect(reads).toBe(2)
      return response
    }
    expect((await readEvents(await ask(sessionId))).at(-1)).toEqual({ type: 'end', ending: 'completed' })
    expect((await ask('an ended session')).status).toBe(401)
  })
})
