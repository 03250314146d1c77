// Every documented error of D1, before and after the commit, and answers that never arrive, for every mutator. A mutation is applied once,
// or refused without effect, and the client receives what happened. Rules: worker/sync/SPEC.md, P2, P6, X2; worker/user-sync/SPEC.md, A5.
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { answerMs } from '../../../worker/user-sync/d1-source.ts'
import { mutatorNames } from '../../support/contract-names.ts'
import { auditFindings } from '../../support/credit-audit.ts'
import { d1Errors, transientD1Errors } from '../../support/d1-errors.ts'
import type { MemoryD1 } from '../../support/node-object/memory-d1.ts'
import { silenceLogs } from '../../support/silence-logs.ts'
import { checkPages } from './checks.ts'
import type { Fault, Held } from './faults.ts'
import { LoneObject } from './lone-object.ts'
import { LonePage } from './lone-page.ts'
import { addCallRows, callIds, calls, tracesOf } from './mutator-rows.ts'
import { newRecord } from './truth.ts'

const nowMs = 1_800_000_000_000
const names = Object.keys(calls)

silenceLogs()
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: nowMs }))
afterEach(() => void vi.useRealTimers())

type Scene = {
  readonly d1: MemoryD1
  readonly object: LoneObject
  readonly page: LonePage
  readonly faults: (Fault | Held)[]
  readonly readFaults: Fault[]
}

async function setScene(): Promise<Scene> {
  const d1 = newRecord()
  const [faults, readFaults]: [(Fault | Held)[], Fault[]] = [[], []]
  const patient = new Set([callIds('threads.stop').moreId])
  const object = new LoneObject(d1, 'ada', { faults, readFaults, patient })
  addCallRows(d1, nowMs)
  const shown = names.map((name) => ({ hash: name, name: 'threads.one', args: [{ threadId: callIds(name).threadId }] }))
  const list = { hash: 'list', name: 'threads.list', args: [{ limit: 100 }] }
  const page = new LonePage(object, [{ hash: 'me', name: 'me', args: [] }, list, ...shown])
  await page.rest()
  return { d1, object, page, faults, readFaults }
}

const call = ({ page }: Scene, name: string) => page.tab.mutate(name, calls[name]?.args(callIds(name)))

/** What each mutator leaves in a database without faults. */
const wanted = new Map<string, readonly string[]>()
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs })
  const scene = await setScene()
  for (const name of names) {
    const before = tracesOf(scene.d1, name)
    call(scene, name)
    await scene.page.rest()
    wanted.set(name, tracesOf(scene.d1, name))
    expect(wanted.get(name), `${name} does nothing`).not.toEqual(before)
  }
  expect(scene.d1.all('select * from refusals')).toEqual([])
})

test('every mutator has a call in this test', () => {
  expect(mutatorNames).toEqual(names.toSorted())
})

/** Checks at the end of every test. */
async function checkScene({ d1, page: { tab } }: Scene): Promise<void> {
  expect(tab.pending).toEqual([])
  expect(tab.lastMutationID).toBe(names.length)
  expect(d1.all('select lastMutationID from clientProgress')).toEqual([{ lastMutationID: names.length }])
  // Read and acknowledged.
  expect(d1.all('select * from mutationResult')).toEqual([])
  checkPages({ d1, users: [{ userId: 'ada', tabs: [tab] }] })
  expect(await auditFindings('turns', (queries) => queries.map((sql) => d1.all(sql)))).toEqual([])
}

const isTransient = (message: string) => transientD1Errors.some((known) => known === message)

/** The object only distinguishes transient errors from others, which two failures show. The long run tries all of each error. */
const isTriedFully = (message: string) =>
  Boolean(process.env.PARLEY_LONG) || message === d1Errors.find((other) => isTransient(other) === isTransient(message))

describe.each(d1Errors)('%s', (message) => {
  const repetitions = isTriedFully(message) ? [1, 2, 4] : [2]
  const failures = (['before', 'after'] as const).flatMap((when) => repetitions.map((times) => ({ when, times })))
  test.each(failures)('[P2] [P6] $when the commit, $times times, for every mutator', async ({ when, times }) => {
    const scene = await setScene()
    const { d1, page, faults } = scene
    // A transient failure costs no mutation. A failure that repeats while the database can be read is attributed to the mutation. Two
    // failures are enough; after four the refusal could not be written either, so the client reconnected.
    const isRefused = !isTransient(message) && when === 'before' && times === 2
    for (const name of names) {
      const before = tracesOf(d1, name)
      faults.push(...Array.from({ length: times }, () => ({ when, message })))
      const { id } = call(scene, name)
      await page.rest()
      // The last fault may have hit a request after the write. None may remain for the next mutator.
      faults.length = 0
      expect(d1.all('select 1 from refusals where mutationID = ?', id).length, name).toBe(isRefused ? 1 : 0)
      expect(tracesOf(d1, name), name).toEqual(isRefused ? before : wanted.get(name))
      if (isRefused) expect(page.tab.results.get(id), name).toMatchObject({ error: 'app', details: { code: 'internal' } })
      else expect(page.tab.results.has(id), name).toBe(false)
    }
    expect(page.tab.errors.filter((kind) => kind !== 'ServerOverloaded')).toEqual([])
    await checkScene(scene)
  })

  test.runIf(isTriedFully(message))(
    '[H2] the object dies before the answer, and the database fails at first, for every mutator',
    async () => {
      const scene = await setScene()
      const { d1, object, page, faults, readFaults } = scene
      for (const name of names) {
        faults.push({ when: 'silent', message })
        call(scene, name)
        await page.say()
        while (faults.length > 0) await new Promise((resolve) => setImmediate(resolve))
        object.object.die()
        page.tab.closed()
        readFaults.push({ when: 'before', message })
        await page.rest()
        expect([readFaults, page.tab.errors.splice(0)], name).toEqual([[], ['ServerOverloaded']])
        expect(tracesOf(d1, name), name).toEqual(wanted.get(name))
        expect(page.tab.results.size, name).toBe(0)
      }
      await checkScene(scene)
    },
  )
})

describe('D1 does not answer while the object lives', () => {
  /** Chosen: far above what is needed. */
  const maxRounds = 10_000

  /**
   * When nothing else is in flight, the object waits only for requests that are never answered. Their timeouts are then run. The clock does
   * not move.
   */
  async function restInVain({ object: { object }, page }: Scene): Promise<void> {
    let isResting = true
    const resting = page.rest().finally(() => (isResting = false))
    for (let rounds = 0; isResting; rounds++) {
      if (rounds > maxRounds) throw new Error('something is waited for without end')
      await new Promise((resolve) => setImmediate(resolve))
      object.runTimers(nowMs + answerMs)
    }
    await resting
  }

  const silent = { when: 'silent', message: '' } as const

  test.each([
    ['a batch that D1 took', 'at once'],
    ['a batch that never arrives', 'never'],
    ['a batch that arrives when another has done its work', 'last'],
    ['a batch that arrives before another that hangs', 'first'],
  ] as const)('[P6] [A5] the object does not wait for %s, for every mutator', async (_which, arrives) => {
    const scene = await setScene()
    const { d1, page, faults } = scene
    for (const name of names) {
      const onItsWay = Promise.withResolvers<() => void>()
      const held: Held = { when: 'held', hold: onItsWay.resolve }
      const next: Held = { when: 'held', hold: () => void onItsWay.promise.then((arrive) => arrive()) }
      faults.push(...{ 'at once': [silent], never: [held], last: [held], first: [held, next] }[arrives])
      const { id } = call(scene, name)
      await restInVain(scene)
      expect(faults, name).toEqual([])
      if (arrives === 'last') expect(await onItsWay.promise, name).toThrow(/stale_mutation/)
      expect(tracesOf(d1, name), name).toEqual(wanted.get(name))
      expect(page.tab.results.has(id), name).toBe(false)
    }
    expect(page.tab.errors).toEqual([])
    await checkScene(scene)
  })

  test.each([
    ['first', 'Refused'],
    ['last', 'Renamed'],
  ] as const)(
    '[P6] [A5] of a late refusal and its retry, the page receives what D1 executed: the one that arrived %s',
    async (arrives, took) => {
      const scene = await setScene()
      const { d1, page, faults } = scene
      const onItsWay = Promise.withResolvers<() => void>()
      const refusing: Held = {
        when: 'held',
        hold: (arrive) => {
          d1.all(
            "insert into thread (id, userId, title, status, createdAt, updatedAt) values ('a-late-thread', 'ada', 'As it was', 'ready', 1, 1)",
          )
          onItsWay.resolve(arrive)
        },
      }
      const renaming: Held = { when: 'held', hold: () => void onItsWay.promise.then((arrive) => arrive()) }
      faults.push(...(arrives === 'first' ? [refusing, renaming] : [refusing]))
      const { id } = page.tab.mutate('threads.rename', { threadId: 'a-late-thread', title: 'Renamed' })
      await restInVain(scene)
      if (arrives === 'last') expect(await onItsWay.promise).toThrow(/stale_mutation/)
      expect(faults).toEqual([])
      expect(d1.all("select title from thread where id = 'a-late-thread'")).toEqual([
        { title: took === 'Renamed' ? 'Renamed' : 'As it was' },
      ])
      expect(page.tab.results.get(id)).toEqual(
        took === 'Renamed' ? undefined : expect.objectContaining({ details: expect.objectContaining({ code: 'not_found' }) }),
      )
      expect([page.tab.lastMutationID, page.tab.pending, page.tab.errors]).toEqual([id, [], []])
      checkPages({ d1, users: [{ userId: 'ada', tabs: [page.tab] }] })
    },
  )

  test('[A5] a database that never answers delays other tasks by the timeout only, and the page reconnects', async () => {
    const scene = await setScene()
    const { object, page, faults, readFaults } = scene
    // Both the write and the following read get no answer.
    faults.push(silent)
    readFaults.push(silent)
    const { id } = call(scene, 'settings.update')
    const search = object.object.awake().search({ query: 'anything', filter: {}, without: [] })
    await restInVain(scene)
    await search
    expect([page.tab.errors, page.tab.lastMutationID, page.tab.pending]).toEqual([['ServerOverloaded'], id, []])
    expect(faults.length + readFaults.length).toBe(0)
  })
})

test('[R4] mutations of a batch whose answer was lost stay counted after hibernation', async () => {
  const faults: Fault[] = [{ when: 'after', message: transientD1Errors[0] }]
  const d1 = newRecord()
  const object = new LoneObject(d1, 'ada', { faults, limit: { burst: 1, perSecond: 1 } })
  const page = new LonePage(object, [{ hash: 'me', name: 'me', args: [] }])
  await page.rest()
  page.tab.mutate('settings.update', { nickname: 'paid' })
  await page.rest()
  expect([faults, page.tab.lastMutationID]).toEqual([[], 1])
  object.object.evict()
  page.tab.mutate('settings.update', { nickname: 'one too many' })
  await page.rest()
  expect([page.tab.lastMutationID, d1.all('select nickname from setting')]).toEqual([1, [{ nickname: 'paid' }]])
})
