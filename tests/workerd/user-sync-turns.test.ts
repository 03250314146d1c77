// Turns that start or end while a mutation about them is in flight. Rules: worker/turns/SPEC.md, T4.

import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { creditsPerDay, researchesPerDay } from '../../worker/contract/limits.ts'
import { totalUse } from '../../worker/contract/models/model-use.ts'
import { endTurn } from '../../worker/db/turn-endings.ts'
import { openTurnStatements } from '../../worker/db/turns.ts'
import { insert, modelRequest, threadRow } from '../support/rows.ts'
import { content } from './bindings.ts'
import { type Asked, stubProvider } from './provider.ts'
import { alarmAt, inside } from './sync-object.ts'
import { connected, env, freshId, newUser, recentThreads, type SyncUser, turnArgs } from './sync-wire.ts'
import { bindings, newObjectId } from './turns.ts'
import { until } from './until.ts'

let ada: SyncUser
beforeAll(async () => {
  ada = await newUser()
})

const parentId = 'question'

/** A turn as another object of this user would write it, without a notification. */
const begun = (threadId: string, generationId: string) => [
  content.prepare("update thread set status = 'submitted', streamId = ? where id = ?").bind(generationId, threadId),
  ...openTurnStatements(
    content,
    ada.userId,
    {
      generationId,
      threadId,
      parentId,
      modelId: 'kimi-k2',
      mode: 'chat',
      continueId: null,
      effort: null,
      queuedId: null,
      objectId: newObjectId(),
    },
    {
      ...{ credits: 1, minimum: 1, expected: 1 },
      day: Math.floor(Date.now() / 86_400_000),
      dailyLimit: creditsPerDay.guest,
      research: 0,
      researchLimit: researchesPerDay.guest,
    },
    Date.now(),
  ),
]

const ended = (threadId: string, generationId: string) => {
  const requests = [modelRequest()]
  const use = totalUse(requests)
  const metadata = {
    ...({ modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'moonshot', ending: 'completed', credits: 1 } as const),
    ...(use && { use }),
  } as const
  const answer = { id: generationId, role: 'assistant', parts: [{ type: 'text', text: 'Tea.' }], metadata } as const
  const charge = { charged: true, credits: 1, keepsSearch: false, keepsResearch: true }
  return endTurn(env, {
    generationId,
    userId: ada.userId,
    threadId,
    parentId,
    answer,
    ...charge,
    title: null,
    requests,
    endedAtMs: Date.now(),
  })
}

/** A connected browser that shows a running answer which has ended in the database; its object was not notified. */
async function lateBrowser() {
  const [threadId, generationId] = [freshId('thread'), freshId('answer')]
  await insert(content, 'thread', threadRow(ada.userId, { id: threadId }))
  await content.batch(begun(threadId, generationId))
  const wire = await connected(ada, { queries: [recentThreads] })
  expect(wire.row('thread', threadId)).toMatchObject({ status: 'submitted' })
  await ended(threadId, generationId)
  return { wire, threadId }
}

const statusOf = (threadId: string) => content.prepare('select status from thread where id = ?').bind(threadId).first('status')

describe('[T4] a thread whose turn has just ended', () => {
  test('is not left in stopping when the stop comes late', async () => {
    const { wire, threadId } = await lateBrowser()
    await wire.confirmed(wire.mutate('threads.stop', { threadId }))
    expect(await statusOf(threadId)).toBe('ready')
    expect(wire.row('thread', threadId)).toMatchObject({ status: 'ready' })
    await wire.close()
  })

  test('is ready when it was deleted late and restored', async () => {
    const { wire, threadId } = await lateBrowser()
    wire.mutate('threads.delete', { threadIds: [threadId], at: 1 })
    await wire.confirmed(wire.mutate('threads.restore', { threadIds: [threadId] }))
    expect(await statusOf(threadId)).toBe('ready')
    await wire.until(() => wire.row('thread', threadId)?.status === 'ready', 'the thread is ready')
    await wire.close()
  })
})

test('a turn whose start command is lost twice ends as interrupted and free', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [recentThreads] })
  await inside(user, (object) => {
    object.startCommands.areRefused = true
  })
  const args = turnArgs('/demo delay=0')
  await wire.confirmed(wire.mutate('threads.send', args))
  expect(wire.row('thread', args.threadId)).toMatchObject({ status: 'submitted' })
  expect(await alarmAt(user, 'turns')).toBeLessThanOrEqual(Date.now() + 5000)
  await inside(user, async (object) => {
    await object.setAlarmAt('turns', 1)
    await object.alarm()
  })
  await wire.until(() => wire.row('thread', args.threadId)?.status === 'ready', 'the thread is ready')
  expect(wire.row('message', args.answerId)?.message).toMatchObject({ metadata: { ending: 'interrupted', credits: 0 } })
  await wire.close()
})

test('[T4] an open turn that the object does not know blocks another turn', async () => {
  const [threadId, generationId] = [freshId('thread'), freshId('answer')]
  await insert(content, 'thread', threadRow(ada.userId, { id: threadId }))
  const wire = await connected(ada, { queries: [recentThreads] })
  await content.batch(begun(threadId, generationId))
  const args = turnArgs('Me too', threadId)
  const id = wire.mutate('threads.send', args)
  await wire.confirmed(id)
  expect(wire.results.get(`${wire.clientID}/${id}`)).toMatchObject({ details: { code: 'thread_busy' } })
  const { results } = await content.prepare('select id, status from generation where threadId = ?').bind(threadId).all()
  expect(results.map((row) => row.id)).toEqual([generationId])
  expect(await content.prepare('select count(*) n from message where id = ?').bind(args.messageId).first('n')).toBe(0)
  await wire.close()
})

describe('[T4] a send and a stop', () => {
  /** A connected user whose provider never answers; `asked` are the requests that it received. */
  async function sender() {
    const user = await newUser()
    const asked: Asked[] = []
    const writer = bindings.GENERATION.newUniqueId()
    await runInDurableObject(bindings.GENERATION.get(writer), (object, state) => {
      object.reachGateway()
      stubProvider(state, () => new Promise(() => undefined), asked)
    })
    await inside(user, ({ nextObjectIds }) => void nextObjectIds.push(writer))
    const wire = await connected(user, { queries: [recentThreads] })
    const args = turnArgs('hello')
    const stop = { name: 'threads.stop', args: { threadId: args.threadId } }
    const ended = async () => {
      await wire.until(() => wire.row('message', args.answerId) !== undefined, 'the answer')
      return wire.row('message', args.answerId)?.message
    }
    return { wire, asked, send: { name: 'threads.send', args }, stop, ended }
  }
  afterEach(() => vi.unstubAllGlobals())

  test('in one frame never ask the provider, and cost nothing', async () => {
    const { wire, asked, send, stop, ended } = await sender()
    await wire.confirmed(wire.push([send, stop]))
    expect(await ended()).toMatchObject({ metadata: { ending: 'stopped', credits: 0 } })
    expect(asked).toEqual([])
    await wire.close()
  })

  test('in two frames are charged when the provider was asked between them', async () => {
    const { wire, asked, send, stop, ended } = await sender()
    wire.push([send])
    await until(
      async () => asked.length,
      (requests) => requests === 1,
      'a request',
    )
    await wire.confirmed(wire.push([stop]))
    expect(await ended()).toMatchObject({ metadata: { ending: 'stopped', credits: 1 } })
    await wire.close()
  })
})
