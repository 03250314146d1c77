// Which mutations are accepted and which are limited, in what order. Rules: worker/sync/SPEC.md, R1, R2.
import { expect, test } from 'vitest'
import { applyRateLimit } from '../../../../worker/sync/push/limit-mutations.ts'
import type { PushedMutation } from '../../../../worker/sync/push/pending.ts'
import { createRng } from '../../../support/rng.ts'

const [one, two] = [{}, {}] as unknown as [WebSocket, WebSocket]

const pushedBy = (socket: WebSocket, clientID: string, ...ids: readonly number[]): PushedMutation[] =>
  ids.map((id) => ({ groupID: 'group', mutation: { type: 'custom', id, clientID, name: 'n', args: [] }, socket }))

type Case = { readonly tokens: number; readonly done?: number; readonly limited?: WebSocket }

function sorted(pushed: readonly PushedMutation[], { tokens, done = 0, limited }: Case) {
  const asked: number[] = []
  const { accepted, refused } = applyRateLimit(pushed, {
    isLimited: (socket) => socket === limited,
    lastMutationID: () => done,
    take: (wanted) => {
      asked.push(wanted)
      return Math.min(wanted, tokens)
    },
  })
  const names = (items: readonly PushedMutation[]) =>
    items.map(({ socket, mutation }) => `${socket === one ? 'one' : 'two'}:${mutation.clientID}${mutation.id}`)
  return { accepted: names(accepted), refused: names(refused), asked }
}

test('[R1] admits as many mutations as tokens, in order', () => {
  expect(sorted(pushedBy(one, 'a', 1, 2, 3), { tokens: 2 })).toEqual({ accepted: ['one:a1', 'one:a2'], refused: ['one:a3'], asked: [3] })
})

test('[R1] applied mutations take no token', () => {
  expect(sorted(pushedBy(one, 'a', 1, 2, 3), { tokens: 1, done: 2 })).toEqual({
    accepted: ['one:a1', 'one:a2', 'one:a3'],
    refused: [],
    asked: [1],
  })
  expect(sorted(pushedBy(one, 'a', 1), { tokens: 0, done: 1 }).asked).toEqual([])
})

test('[R1] a mutation from two tabs counts once, and both are limited together', () => {
  const pushed = [...pushedBy(one, 'a', 1, 2), ...pushedBy(two, 'a', 1, 2)]
  expect(sorted(pushed, { tokens: 1 })).toEqual({ accepted: ['one:a1', 'two:a1'], refused: ['one:a2', 'two:a2'], asked: [2] })
})

test('[R2] a limited connection stays limited when tokens return; others do not wait for it', () => {
  const pushed = [...pushedBy(one, 'a', 5, 6), ...pushedBy(two, 'b', 1)]
  expect(sorted(pushed, { tokens: 9, limited: one })).toEqual({ accepted: ['two:b1'], refused: ['one:a5', 'one:a6'], asked: [1] })
})

test('[R2] a copy granted to another connection does not pass a refused mutation', () => {
  // The first mutation followed one that failed. Its connection is closed, so it is not due.
  const pushed = [...pushedBy(one, 'a', 2), ...pushedBy(two, 'a', 1, 2)]
  expect(sorted(pushed, { tokens: 1 })).toEqual({ accepted: ['one:a2'], refused: ['two:a1', 'two:a2'], asked: [2] })
})

test('[R1] [R2] random pushes: tokens are not exceeded, and no mutation passes a refused one of its connection', () => {
  for (let seed = 0; seed < 300; seed++) {
    const rng = createRng(seed)
    const sockets = Array.from({ length: 4 }, () => ({}) as WebSocket)
    const done: { readonly [clientID: string]: number } = { a: rng.below(4), b: rng.below(4) }
    // Each connection pushes in order, for its own client and for sibling pages.
    const lines = sockets.map((socket) =>
      ['a', 'b'].flatMap((clientID) => {
        const first = 1 + rng.below(5)
        return pushedBy(socket, clientID, ...Array.from({ length: rng.below(5) }, (_, i) => first + i))
      }),
    )
    const pushed: PushedMutation[] = []
    while (lines.some((line) => line.length > 0)) pushed.push(...rng.pick(lines.filter((line) => line.length > 0)).splice(0, 1))
    const limited = new Set(sockets.filter(() => rng.chance(0.2)))
    const tokens = rng.below(8)
    const isDone = ({ mutation }: PushedMutation) => mutation.id <= (done[mutation.clientID] ?? 0)
    const { accepted, refused } = applyRateLimit(pushed, {
      isLimited: (socket) => limited.has(socket),
      lastMutationID: (_groupID, clientID) => done[clientID] ?? 0,
      take: (wanted) => Math.min(wanted, tokens),
    })
    expect(accepted.length + refused.length).toBe(pushed.length)
    const paid = new Set(accepted.filter((item) => !isDone(item)).map(({ mutation }) => `${mutation.clientID}${mutation.id}`))
    expect(paid.size).toBeLessThanOrEqual(tokens)
    for (const socket of sockets) {
      const outcomes = pushed.filter((item) => item.socket === socket && !isDone(item)).map((item) => accepted.includes(item))
      expect(outcomes, `seed ${seed}`).toEqual(outcomes.toSorted((x, y) => Number(y) - Number(x)))
      if (limited.has(socket)) expect(outcomes).not.toContain(true)
    }
  }
})
