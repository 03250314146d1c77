// Results of mutations, and of refused ones until the client acknowledges them. Rules: worker/sync/SPEC.md, P4, P11.

import { beforeAll, describe, expect, test } from 'vitest'
import { content } from './bindings.ts'
import { appError, connected, me, newUser, type SyncUser } from './sync-wire.ts'

let ada: SyncUser
beforeAll(async () => {
  ada = await newUser()
})

describe('[P4] a result is stored until it is acknowledged', () => {
  test('is deleted by an acknowledgement; another one gets no answer', async () => {
    const wire = await connected(ada, { queries: [me] })
    const id = wire.mutate('threads.rename', { threadId: 'no-such-thread', title: 'New' })
    await wire.confirmed(id)
    wire.send(['ackMutationResponses', { clientID: wire.clientID, id }])
    await wire.until(() => wire.results.size === 0, 'the result is deleted')
    const framesBefore = wire.frames.length
    wire.send(['ackMutationResponses', { clientID: wire.clientID, id }])
    await wire.settled()
    expect(wire.frames.slice(framesBefore).map(([tag]) => tag)).toEqual(['pong'])
    const left = await content.prepare('select count(*) n from mutationResult where clientID = ?').bind(wire.clientID).first('n')
    expect(left).toBe(0)
    await wire.close()
  })

  test('is sent again to a client that starts empty', async () => {
    const wire = await connected(ada, { queries: [me] })
    const id = wire.mutate('threads.rename', { threadId: 'no-such-thread', title: 'New' })
    await wire.confirmed(id)
    await wire.close()
    const back = await connected(ada, { params: { clientGroupID: wire.groupID, clientID: wire.clientID }, queries: [me] })
    expect(back.results.get(`${wire.clientID}/${id}`)).toEqual(appError('not_found'))
    await back.close()
  })
})

test('[P11] an accepted and a refused push are answered by pokes only', async () => {
  const wire = await connected(ada, { queries: [me] })
  const framesBefore = wire.frames.length
  wire.mutate('settings.update', { nickname: 'Ada' })
  await wire.confirmed(wire.mutate('threads.rename', { threadId: 'no-such-thread', title: 'New' }))
  await wire.settled()
  const tags = new Set(wire.frames.slice(framesBefore).map(([tag]) => tag))
  expect([...tags].sort()).toEqual(['pokeEnd', 'pokePart', 'pokeStart', 'pong'])
  await wire.close()
})
