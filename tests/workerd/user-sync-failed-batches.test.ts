// A batch that fails: what was committed, and what the client receives. Rules: worker/sync/SPEC.md, P6; worker/user-sync/SPEC.md, A5.

import { beforeAll, describe, expect, test } from 'vitest'
import { content } from './bindings.ts'
import { inside } from './sync-object.ts'
import { connected, me, newUser, nickname, recentThreads, type SyncUser, turnArgs } from './sync-wire.ts'

let ada: SyncUser
beforeAll(async () => {
  ada = await newUser()
})

describe('[P6] a batch without an answer', () => {
  const faulty = (fault: 'lost' | 'response-lost' | { message: string }, times = 1) =>
    inside(ada, ({ watch }) => {
      watch.faults.push(...Array.from({ length: times }, () => fault))
    })

  test.each(['lost', 'response-lost'] as const)('%s: is applied exactly once, without an error for the client', async (fault) => {
    const wire = await connected(ada, { queries: [me, recentThreads] })
    await faulty(fault)
    const args = turnArgs('/demo chunks=1 delay=0')
    const id = wire.mutate('threads.send', args)
    await wire.confirmed(id)
    expect(wire.results.size).toBe(0)
    await wire.until(() => wire.row('message', args.messageId) !== undefined, 'the message')
    const ledger = await content
      .prepare('select count(*) n from creditLedger where generationId = ? and kind = ?')
      .bind(args.answerId, 'reserve')
      .first('n')
    expect(ledger).toBe(1)
    const progress = await content
      .prepare('select lastMutationID from clientProgress where clientID = ?')
      .bind(wire.clientID)
      .first('lastMutationID')
    expect(progress).toBe(id)
    await wire.close()
  })

  test('two tabs with the same mutation receive ServerOverloaded, neither a gap', async () => {
    const first = await connected(ada, { queries: [me] })
    const second = await connected(ada, { params: { clientGroupID: first.groupID, clientID: `${first.clientID}-second` } })
    const third = await connected(ada, { queries: [me] })
    const open = await inside(ada, (object) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      object.watch.gate = promise
      object.received = 0
      object.watch.batches.length = 0
      return () => inside(ada, () => resolve())
    })
    third.push([nickname('In front')])
    while ((await inside(ada, ({ watch }) => watch.batches.length)) === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await faulty('lost', 3)
    const chain = [{ ...nickname('Both'), id: 1, clientID: first.clientID }]
    first.push(chain)
    second.push(chain)
    while ((await inside(ada, ({ received }) => received)) < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    await open()
    for (const wire of [first, second]) {
      expect(await wire.receives('error')).toMatchObject({ kind: 'ServerOverloaded' })
      await wire.untilClosed()
      expect(wire.frames.some(([tag, body]) => tag === 'error' && body.kind === 'PushFailed')).toBe(false)
    }
    await inside(ada, ({ watch }) => {
      watch.gate = null
    })
    const back = await second.reconnect()
    back.push(chain)
    await back.confirmed(1, first.clientID)
    await Promise.all([back.close(), third.close()])
  })
})
