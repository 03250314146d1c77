// Ids of running answers are taken: no message gets such an id, and the answers are stored. Rule: worker/user-sync/SPEC.md, A7.
import { expect, test } from 'vitest'
import { content } from './bindings.ts'
import { comparison, idsOf } from './comparisons.ts'
import { connected, freshId, me, newUser, recentThreads, turnArgs } from './sync-wire.ts'

const imported = (id: string, threadId: string) => ({
  threads: [
    {
      ...{ id: threadId, title: null, headId: id, createdAt: 1, updatedAt: 1 },
      messages: [{ id, parentId: null, role: 'assistant', text: 'Imported', createdAt: 1 }],
    },
  ],
})

test('[A7] no message gets the id of a running answer, and no answer the id of a message', async () => {
  const ada = await newUser()
  const queries = [me, recentThreads]
  const wire = await connected(ada, { queries })
  const running = comparison('/demo chunks=5000 delay=20')
  expect(await wire.refusalOf('threads.send', running)).toBeUndefined()
  const { messageId, threadId } = running
  const second = await connected(ada, { queries })
  const other = await connected(await newUser(), { queries })
  for (const client of [second, other]) {
    for (const id of idsOf(running)) {
      expect(await client.refusalOf('threads.send', { ...turnArgs(), messageId: id })).toBe('invalid_request')
      expect(await client.refusalOf('threads.import', imported(id, freshId('thread')))).toBe('invalid_request')
    }
    for (const ids of [{ answerId: messageId }, { compareWith: [{ answerId: messageId, modelId: 'gpt-4o-mini' }] }])
      expect(await client.refusalOf('threads.send', { ...turnArgs(), ...ids })).toBe('invalid_request')
  }
  expect(await second.refusalOf('threads.import', imported(running.answerId, threadId))).toBe('invalid_request')
  expect(await wire.refusalOf('threads.stop', { threadId })).toBeUndefined()
  await wire.until(() => wire.row('thread', threadId)?.status === 'ready', 'ready')
  const { results } = await content.prepare('select id from message where threadId = ? and parentId = ?').bind(threadId, messageId).all()
  expect(results.map(({ id }) => id).toSorted()).toEqual(idsOf(running).toSorted())
  await Promise.all([wire, second, other].map((client) => client.close()))
})
