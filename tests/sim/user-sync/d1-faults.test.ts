// Every documented error of D1, before and after it has committed, and an answer that never comes, at every mutator there is: what was written is
// there exactly once, or was refused and left nothing, and the client is never told what is not so. Rules: worker/sync/SPEC.md, P2, P6, X2, X4.
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { answerMs } from '../../../worker/sync/record.ts'
import { mutatorNames } from '../../support/contract-names.ts'
import { auditFindings } from '../../support/credit-audit.ts'
import { d1Errors, transientD1Errors } from '../../support/d1-errors.ts'
import type { MemoryD1 } from '../../support/node-object/memory-d1.ts'
import { checkPages } from './checks.ts'
import type { Fault, Held } from './faults.ts'
import { LoneObject } from './lone-object.ts'
import { LonePage } from './lone-page.ts'
import { addCallRows, callIds, calls, tracesOf } from './mutator-rows.ts'
import { newRecord } from './truth.ts'

const nowMs = 1_800_000_000_000
const names = Object.keys(calls)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs })
  for (const level of ['info', 'warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

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

/** What each leaves in a record that always answers. */
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

test('every mutator has its row', () => {
  expect(mutatorNames).toEqual(names.toSorted())
})

/** Everything that must be so at the end of every story. */
async function checkScene({ d1, page: { tab } }: Scene): Promise<void> {
  expect(tab.pending).toEqual([])
  expect(tab.lastMutationID).toBe(names.length)
  expect(d1.all('select lastMutationID from clientProgress')).toEqual([{ lastMutationID: names.length }])
  // Read and acknowledged.
  expect(d1.all('select * from mutationResult')).toEqual([])
  checkPages({ d1, people: [{ userId: 'ada', tabs: [tab] }] })
  expect(await auditFindings('turns', (sql) => d1.all(sql))).toEqual([])
}

const isTransient = (message: string) => transientD1Errors.some((known) => known === message)

describe.each(d1Errors)('%s', (message) => {
  const fates = (['before', 'after'] as const).flatMap((when) => [1, 2, 4].map((times) => ({ when, times })))
  test.each(fates)('[P2] [P6] $when the commit, $times times, at every mutator', async ({ when, times }) => {
    const scene = await setScene()
    const { d1, page, faults } = scene
    // Trouble that passes costs nobody a write. What stays while the record can be read is taken for the mutation's own; twice is staying, and
    // after four times the refusal could not be written either, so that the client came back.
    const isRefused = !isTransient(message) && when === 'before' && times === 2
    for (const name of names) {
      const before = tracesOf(d1, name)
      faults.push(...Array.from({ length: times }, () => ({ when, message })))
      const { id } = call(scene, name)
      await page.rest()
      // The last of them may have met what follows from the write, but none is left to meet another.
      faults.length = 0
      expect(d1.all('select 1 from refusals where mutationID = ?', id).length, name).toBe(isRefused ? 1 : 0)
      expect(tracesOf(d1, name), name).toEqual(isRefused ? before : wanted.get(name))
      if (isRefused) expect(page.tab.told.get(id), name).toMatchObject({ error: 'app', details: { code: 'internal' } })
      else expect(page.tab.told.has(id), name).toBe(false)
    }
    expect(page.tab.errors.filter((kind) => kind !== 'ServerOverloaded')).toEqual([])
    await checkScene(scene)
  })

  test('[P2] [H2] the answer is lost with the object, and the record cannot be read at first, at every mutator', async () => {
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
      expect(page.tab.told.size, name).toBe(0)
    }
    await checkScene(scene)
  })
})

describe('a D1 that says nothing while the object lives', () => {
  /** Far more than it takes. */
  const maxRounds = 10_000

  /** Whatever the object still waits for when nothing else is under way, it waits for in vain; the clock stays where it is anywhere here. */
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
  ] as const)('[P6] [X4] %s is not waited for, and the object goes on, at every mutator', async (_which, arrives) => {
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
      expect(page.tab.told.has(id), name).toBe(false)
    }
    expect(page.tab.errors).toEqual([])
    await checkScene(scene)
  })

  test.each([
    ['first', 'Refused'],
    ['last', 'Renamed'],
  ] as const)(
    '[P6] [X4] of a refusal on its way and of what would be done now a page is told what the record took: the one that arrived %s',
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
      expect(page.tab.told.get(id)).toEqual(
        took === 'Renamed' ? undefined : expect.objectContaining({ details: expect.objectContaining({ code: 'not_found' }) }),
      )
      expect([page.tab.lastMutationID, page.tab.pending, page.tab.errors]).toEqual([id, [], []])
      checkPages({ d1, people: [{ userId: 'ada', tabs: [page.tab] }] })
    },
  )

  test('[X4] one that answers nobody holds nobody up for longer than it is waited for, and the page is back when it answers', async () => {
    const scene = await setScene()
    const { object, page, faults, readFaults } = scene
    // Neither what is written nor what is asked afterwards.
    faults.push(silent)
    readFaults.push(silent)
    const { id } = call(scene, 'settings.update')
    const search = object.object.awake().search({ query: 'anything', without: [] })
    await restInVain(scene)
    await search
    expect([page.tab.errors, page.tab.lastMutationID, page.tab.pending]).toEqual([['ServerOverloaded'], id, []])
    expect(faults.length + readFaults.length).toBe(0)
  })
})

test('[R4] what was paid for a batch whose answer did not come stays paid, also over a sleep', async () => {
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
