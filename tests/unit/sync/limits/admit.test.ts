// Which mutations pass and which wait, in what order. Rules: worker/sync/SPEC.md, R1, R2.
import { expect, test } from 'vitest'
import { admit } from '../../../../worker/sync/limits/admit.ts'
import type { PushedMutation } from '../../../../worker/sync/push/pending.ts'
import { createRng } from '../../../support/rng.ts'

const [one, two] = [{}, {}] as unknown as [WebSocket, WebSocket]

const pushedBy = (socket: WebSocket, clientID: string, ...ids: readonly number[]): PushedMutation[] =>
  ids.map((id) => ({ groupID: 'group', mutation: { type: 'custom', id, clientID, name: 'n', args: [] }, socket }))

type Case = { readonly tokens: number; readonly done?: number; readonly limited?: WebSocket }

function sorted(pushed: readonly PushedMutation[], { tokens, done = 0, limited }: Case) {
  const asked: number[] = []
  const { admitted, refused } = admit(pushed, {
    isLimited: (socket) => socket === limited,
    lastMutationID: () => done,
    take: (wanted) => {
      asked.push(wanted)
      return Math.min(wanted, tokens)
    },
  })
  const names = (items: readonly PushedMutation[]) =>
    items.map(({ socket, mutation }) => `${socket === one ? 'one' : 'two'}:${mutation.clientID}${mutation.id}`)
  return { admitted: names(admitted), refused: names(refused), asked }
}

test('[R1] as many as there are tokens pass, in order; the rest waits', () => {
  expect(sorted(pushedBy(one, 'a', 1, 2, 3), { tokens: 2 })).toEqual({ admitted: ['one:a1', 'one:a2'], refused: ['one:a3'], asked: [3] })
})

test('[R1] what was applied before costs nothing', () => {
  expect(sorted(pushedBy(one, 'a', 1, 2, 3), { tokens: 1, done: 2 })).toEqual({
    admitted: ['one:a1', 'one:a2', 'one:a3'],
    refused: [],
    asked: [1],
  })
  expect(sorted(pushedBy(one, 'a', 1), { tokens: 0, done: 1 }).asked).toEqual([])
})

test('[R1] a mutation that two tabs send counts once, and both hear when it has to wait', () => {
  const pushed = [...pushedBy(one, 'a', 1, 2), ...pushedBy(two, 'a', 1, 2)]
  expect(sorted(pushed, { tokens: 1 })).toEqual({ admitted: ['one:a1', 'two:a1'], refused: ['one:a2', 'two:a2'], asked: [2] })
})

test('[R2] a connection that waits goes on waiting, though there are tokens again; others do not wait for it', () => {
  const pushed = [...pushedBy(one, 'a', 5, 6), ...pushedBy(two, 'b', 1)]
  expect(sorted(pushed, { tokens: 9, limited: one })).toEqual({ admitted: ['two:b1'], refused: ['one:a5', 'one:a6'], asked: [1] })
})

test('[R2] a copy that is granted to another connection does not pass behind one that is refused', () => {
  // The first stood behind a mutation that met a failure; its connection is gone, and it is not due.
  const pushed = [...pushedBy(one, 'a', 2), ...pushedBy(two, 'a', 1, 2)]
  expect(sorted(pushed, { tokens: 1 })).toEqual({ admitted: ['one:a2'], refused: ['two:a1', 'two:a2'], asked: [2] })
})

test('[R1] [R2] whoever sends what in which order: nothing of a connection passes behind what it has to wait for', () => {
  for (let seed = 0; seed < 300; seed++) {
    const rng = createRng(seed)
    const sockets = Array.from({ length: 4 }, () => ({}) as WebSocket)
    const done: { readonly [clientID: string]: number } = { a: rng.below(4), b: rng.below(4) }
    // Each connection says what it has to say in order, of its own client and of its siblings.
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
    const { admitted, refused } = admit(pushed, {
      isLimited: (socket) => limited.has(socket),
      lastMutationID: (_groupID, clientID) => done[clientID] ?? 0,
      take: (wanted) => Math.min(wanted, tokens),
    })
    expect(admitted.length + refused.length).toBe(pushed.length)
    const paid = new Set(admitted.filter((item) => !isDone(item)).map(({ mutation }) => `${mutation.clientID}${mutation.id}`))
    expect(paid.size).toBeLessThanOrEqual(tokens)
    for (const socket of sockets) {
      const fates = pushed.filter((item) => item.socket === socket && !isDone(item)).map((item) => admitted.includes(item))
      expect(fates, `seed ${seed}`).toEqual(fates.toSorted((x, y) => Number(y) - Number(x)))
      if (limited.has(socket)) expect(fates).not.toContain(true)
    }
  }
})
