// Which mutations are due. Rules: worker/sync/SPEC.md, P2.
import { expect, test } from 'vitest'
import { type PushedMutation, pendingOf, sendersFrom } from '../../../../worker/sync/push/pending.ts'
import { createRng } from '../../../support/rng.ts'

// Only its identity is used.
const socket = {} as WebSocket
const pushed = (...names: string[]): PushedMutation[] =>
  names.map((name) => {
    const [clientID = '', id] = name.split(':')
    return { groupID: 'g', socket, mutation: { type: 'custom', id: Number(id), clientID, name: 'n', args: [] } }
  })
const named = ({ mutation }: PushedMutation) => `${mutation.clientID}:${mutation.id}`

test.each([
  ['in order', { a: 0 }, ['a:1', 'a:2'], ['a:1', 'a:2'], []],
  ['done already', { a: 2 }, ['a:1', 'a:2'], [], []],
  ['partly done', { a: 1 }, ['a:1', 'a:2', 'a:3'], ['a:2', 'a:3'], []],
  ['sent twice', { a: 0 }, ['a:1', 'a:1', 'a:2'], ['a:1', 'a:2'], []],
  ['a gap', { a: 1 }, ['a:3'], [], ['a:3 for 2']],
  ['a gap in the middle stops what follows', { a: 0 }, ['a:1', 'a:3', 'a:4'], ['a:1'], ['a:3 for 2']],
  ['the gap of one client does not stop another', { a: 0, b: 4 }, ['a:2', 'b:5', 'a:3', 'b:6'], ['b:5', 'b:6'], ['a:2 for 1']],
  ['the order they came in is kept', { a: 0, b: 0 }, ['b:1', 'a:1', 'b:2'], ['b:1', 'a:1', 'b:2'], []],
  // A missing mutation that arrives later on the same connection does not close the gap: the client sends all of them again.
  ['too late', { a: 0 }, ['a:2', 'a:1'], [], ['a:2 for 1']],
] as const)('[P2] %s', (_what, last, came, due, gaps) => {
  const state: Record<string, number> = last
  const pending = pendingOf(pushed(...came), (_groupID, clientID) => state[clientID] ?? 0)
  expect(pending.due.map(named)).toEqual(due)
  expect(pending.gaps.map((gap) => `${named(gap.pushed)} for ${gap.expected}`)).toEqual(gaps)
})

test.each([
  ['one begins in the middle, the other has all', ['one a:2', 'two a:1', 'two a:2', 'two a:3'], ['two a:1', 'two a:2', 'two a:3'], []],
  ['the other has no more yet', ['one a:2', 'two a:1'], ['two a:1'], ['one a:2 for 2']],
  ['one has more than the other', ['one a:2', 'one a:3', 'two a:1', 'two a:2'], ['two a:1', 'two a:2'], ['one a:3 for 3']],
  ['both have a gap', ['one a:5', 'two a:1', 'two a:3'], ['two a:1'], ['two a:3 for 2']],
] as const)('[P2] two pages push for a third: %s', (_what, came, due, gaps) => {
  const sockets = { one: {} as WebSocket, two: {} as WebSocket }
  const line = (words: string) => words.split(' ') as ['one' | 'two', string]
  const items = came.flatMap((words) => pushed(line(words)[1]).map((item) => ({ ...item, socket: sockets[line(words)[0]] })))
  const labelOf = (item: PushedMutation) => `${item.socket === sockets.one ? 'one' : 'two'} ${named(item)}`
  const pending = pendingOf(items, () => 0)
  expect(pending.due.map(labelOf)).toEqual(due)
  expect(pending.gaps.map((gap) => `${labelOf(gap.pushed)} for ${gap.expected}`)).toEqual(gaps)
})

test('[P2] random pushes: the due mutations of a client are consecutive, and so are those of a full commit', () => {
  let most = 0
  for (let seed = 0; seed < 300; seed++) {
    const rng = createRng(seed)
    const last: { readonly [clientID: string]: number } = { a: rng.below(3), b: rng.below(3) }
    // Three connections push for the same clients, in order, sometimes with a gap.
    const queues = Array.from({ length: 3 }, () => {
      const socket = {} as WebSocket
      const idsFrom = (first: number) => Array.from({ length: rng.below(7) }, (_, i) => first + i).filter(() => rng.chance(0.95))
      return ['a', 'b'].flatMap((id) => idsFrom(1 + rng.below(4)).flatMap((n) => pushed(`${id}:${n}`).map((item) => ({ ...item, socket }))))
    })
    const came: PushedMutation[] = []
    while (queues.some((queue) => queue.length > 0)) came.push(...rng.pick(queues.filter((queue) => queue.length > 0)).splice(0, 1))
    const { due } = pendingOf(came, (_groupID, clientID) => last[clientID] ?? 0)
    most = Math.max(most, due.length)
    for (const committed of [due, due.slice(0, rng.below(due.length + 1))])
      for (const clientID of ['a', 'b']) {
        const ids = committed.flatMap(({ mutation }) => (mutation.clientID === clientID ? [mutation.id] : []))
        expect(ids, `seed ${seed}`).toEqual(ids.map((_, i) => (last[clientID] ?? 0) + 1 + i))
      }
  }
  expect(most).toBeGreaterThan(8)
})

test('[P6] all senders of a mutation or of a later one wait for its answer', () => {
  const [one, two, three] = [{}, {}, {}] as [WebSocket, WebSocket, WebSocket]
  const sent = [
    ...pushed('a:1', 'a:2').map((item) => ({ ...item, socket: one })),
    ...pushed('a:1', 'b:2').map((item) => ({ ...item, socket: two })),
    ...pushed('a:3').map((item) => ({ ...item, socket: three })),
    ...pushed('a:2').map((item) => ({ ...item, groupID: 'other' })),
  ]
  const senders = (name: string) => [...sendersFrom(sent, pushed(name)[0] ?? (sent[0] as PushedMutation))]
  expect(senders('a:1')).toEqual([one, two, three])
  expect(senders('a:2')).toEqual([one, three])
  expect(senders('b:1')).toEqual([two])
})
