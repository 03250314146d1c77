// Turns that begin or end while a browser's word about them is on its way. Rules: worker/sync/SPEC.md, T.
import { beforeAll, describe, expect, test } from 'vitest'
import { creditsPerDay, researchesPerDay, searchesPerDay } from '../../worker/contract/limits.ts'
import { endTurn } from '../../worker/db/turn-endings.ts'
import { openTurnStatements } from '../../worker/db/turns.ts'
import { insert, threadRow } from '../support/rows.ts'
import { connected, env, freshId, inside, newPerson, type Person, recentThreads, turnArgs, turnsAreDue } from './sync-wire.ts'

let ada: Person
beforeAll(async () => {
  ada = await newPerson()
})

const parentId = 'question'

/** A turn as another object of this person would write it: this one is told nothing. */
const begun = (threadId: string, generationId: string) => [
  env.DB.prepare("update thread set status = 'submitted', streamId = ? where id = ?").bind(generationId, threadId),
  ...openTurnStatements(
    env.DB,
    ada.userId,
    { generationId, threadId, parentId, modelId: 'kimi-k2', mode: 'chat', continueId: null, effort: null, queuedId: null },
    {
      credits: 1,
      day: Math.floor(Date.now() / 86_400_000),
      dailyLimit: creditsPerDay.guest,
      search: 0,
      searchLimit: searchesPerDay.guest,
      research: 0,
      researchLimit: researchesPerDay.guest,
    },
    Date.now(),
  ),
]

const ended = (threadId: string, generationId: string) => {
  const metadata = { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'moonshot', ending: 'completed', credits: 1 } as const
  const answer = { id: generationId, role: 'assistant', parts: [{ type: 'text', text: 'Tea.' }], metadata } as const
  const charge = { charged: true, searched: false, researched: true }
  return endTurn(env, { generationId, userId: ada.userId, threadId, parentId, answer, ...charge, title: null, endedAtMs: Date.now() })
}

/** A connected browser that still sees an answer being written which has ended in the record; nobody has told its object. */
async function lateBrowser() {
  const [threadId, generationId] = [freshId('thread'), freshId('answer')]
  await insert(env.DB, 'thread', threadRow(ada.userId, { id: threadId }))
  await env.DB.batch(begun(threadId, generationId))
  const wire = await connected(ada, { queries: [recentThreads] })
  expect(wire.row('thread', threadId)).toMatchObject({ status: 'submitted' })
  await ended(threadId, generationId)
  return { wire, threadId }
}

const statusOf = (threadId: string) => env.DB.prepare('select status from thread where id = ?').bind(threadId).first('status')

describe('[T4] a thread whose turn has just ended', () => {
  test('is not stopping for ever when the order to stop comes late', async () => {
    const { wire, threadId } = await lateBrowser()
    await wire.confirmed(wire.mutate('threads.stop', { threadId }))
    expect(await statusOf(threadId)).toBe('ready')
    expect(wire.row('thread', threadId)).toMatchObject({ status: 'ready' })
    await wire.close()
  })

  test('is ready when it is deleted late and brought back', async () => {
    const { wire, threadId } = await lateBrowser()
    wire.mutate('threads.delete', { threadId, at: 1 })
    await wire.confirmed(wire.mutate('threads.restore', { threadId }))
    expect(await statusOf(threadId)).toBe('ready')
    await wire.until(() => wire.row('thread', threadId)?.status === 'ready', 'the thread is ready')
    await wire.close()
  })
})

test('a turn whose order never arrives ends as interrupted at the second attempt, which is seconds later, and costs nothing', async () => {
  const person = await newPerson()
  const wire = await connected(person, { queries: [recentThreads] })
  await inside(person, (object) => {
    object.orders.areRefused = true
  })
  const args = turnArgs('/demo delay=0')
  await wire.confirmed(wire.mutate('threads.send', args))
  expect(wire.row('thread', args.threadId)).toMatchObject({ status: 'submitted' })
  const due = await inside(person, (_object, { storage }) =>
    Number(storage.sql.exec("select json_extract(value, '$.turnsAtMs') at from sync_meta where name = 'now'").one().at),
  )
  expect(due).toBeLessThanOrEqual(Date.now() + 5000)
  await inside(person, async (object, { storage }) => {
    storage.sql.exec(turnsAreDue)
    await object.alarm()
  })
  await wire.until(() => wire.row('thread', args.threadId)?.status === 'ready', 'the thread is ready')
  expect(wire.row('message', args.answerId)?.message).toMatchObject({ metadata: { ending: 'interrupted', credits: 0 } })
  await wire.close()
})

test('[T4] a turn that this object has not heard of is not overtaken by another', async () => {
  const [threadId, generationId] = [freshId('thread'), freshId('answer')]
  await insert(env.DB, 'thread', threadRow(ada.userId, { id: threadId }))
  const wire = await connected(ada, { queries: [recentThreads] })
  await env.DB.batch(begun(threadId, generationId))
  const args = turnArgs('Me too', threadId)
  const id = wire.mutate('threads.send', args)
  await wire.confirmed(id)
  expect(wire.results.get(`${wire.clientID}/${id}`)).toMatchObject({ details: { code: 'thread_busy' } })
  const { results } = await env.DB.prepare('select id, status from generation where threadId = ?').bind(threadId).all()
  expect(results.map((row) => row.id)).toEqual([generationId])
  expect(await env.DB.prepare('select count(*) n from message where id = ?').bind(args.messageId).first('n')).toBe(0)
  await wire.close()
})
