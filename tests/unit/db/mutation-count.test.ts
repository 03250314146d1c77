// The count of a user's mutations by UTC day, kept by triggers of `clientProgress`.
import { expect, test } from 'vitest'
import { dayMs } from '../../../worker/contract/access.ts'
import { mutationStep } from '../../../worker/contract/limits.ts'
import { advanceStatement } from '../../../worker/db/progress.ts'
import { ensureUserRows } from '../../../worker/db/user-rows.ts'
import { createNodeD1 } from '../../support/node-d1.ts'

const day = 20_000
const at = (days: number) => days * dayMs + 1

async function given(userId = 'ada') {
  const db = createNodeD1()
  await ensureUserRows(db, userId, null)
  const last = new Map<string, number>()
  const push = async (clientID: string, firstID: number, length: number, nowMs: number) => {
    const lastID = firstID + length - 1
    await advanceStatement(db, { clientGroupID: 'group', clientID, userId }, { firstID, lastID }, nowMs).run()
    last.set(clientID, lastID)
  }
  return {
    advance: async (clientID: string, nowMs: number, times = 1) => {
      for (let n = 0; n < times; n++) await push(clientID, (last.get(clientID) ?? 0) + 1, 1, nowMs)
    },
    push,
    counted: () => db.prepare('select mutations, mutationDay from contentUse where userId = ?').bind(userId).first(),
    shown: () => db.prepare('select mutations, mutationDay from usage where userId = ?').bind(userId).first(),
    feedRows: () => db.prepare(`select count(*) n from contentChange where tbl = 'usage' and op = 'u'`).first<number>('n'),
  }
}

test('counts each mutation of each client once', async () => {
  const user = await given()
  await user.advance('a', at(day), 3)
  await user.advance('b', at(day), 2)
  await expect(user.push('a', 3, 1, at(day))).rejects.toThrow('stale_mutation')
  expect(await user.counted()).toEqual({ mutations: 5, mutationDay: day })
})

test('counts each mutation of a push, also of the first push of a client', async () => {
  const user = await given()
  await user.push('a', 1, 4, at(day))
  await user.push('a', 5, 3, at(day))
  for (const firstID of [1, 7, 9]) await expect(user.push('a', firstID, 2, at(day))).rejects.toThrow('stale_mutation')
  expect(await user.counted()).toEqual({ mutations: 7, mutationDay: day })
})

test('rejects a push that repeats mutations of earlier pushes, also with new mutations after them', async () => {
  const user = await given()
  await user.push('a', 1, 3, at(day))
  await user.push('a', 4, 3, at(day))
  for (const [firstID, length] of [
    [1, 7],
    [4, 4],
    [4, 3],
  ] as const)
    await expect(user.push('a', firstID, length, at(day))).rejects.toThrow('stale_mutation')
  expect(await user.counted()).toEqual({ mutations: 6, mutationDay: day })
})

test('starts again on a later day, and not when the clock goes back', async () => {
  const user = await given()
  await user.advance('a', at(day), 3)
  await user.advance('a', at(day + 1))
  expect(await user.counted()).toEqual({ mutations: 1, mutationDay: day + 1 })
  await user.advance('a', at(day), 2)
  expect(await user.counted()).toEqual({ mutations: 3, mutationDay: day + 1 })
})

test('shows the count in steps, with one feed row for each', async () => {
  const user = await given()
  await user.advance('a', at(day), 2 * mutationStep + 50)
  expect(await user.shown()).toEqual({ mutations: 2 * mutationStep, mutationDay: day })
  expect(await user.feedRows()).toBe(2)
  await user.advance('a', at(day + 1))
  expect(await user.shown()).toEqual({ mutations: 0, mutationDay: day + 1 })
})

test('shows the count of a first push of one step', async () => {
  const user = await given()
  await user.push('a', 1, mutationStep, at(day))
  expect(await user.shown()).toEqual({ mutations: mutationStep, mutationDay: day })
  expect(await user.feedRows()).toBe(1)
})

test('shows the count of the first push of a later day if both days are in the same step', async () => {
  const user = await given()
  await user.advance('a', at(day), mutationStep + 50)
  await user.push('a', mutationStep + 51, mutationStep, at(day + 1))
  expect(await user.shown()).toEqual({ mutations: mutationStep, mutationDay: day + 1 })
  expect(await user.feedRows()).toBe(2)
})
