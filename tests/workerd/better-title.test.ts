// A thread's title: the first words with its first message, then the model's title, unless the user has renamed the thread meanwhile.

import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { Env } from '../../worker/bindings.ts'
import { newTurn } from '../../worker/chat/turn/turn-state.ts'
import type { ModelRequest } from '../../worker/contract/models/model-use.ts'
import { linkGuest } from '../../worker/db/account-linking.ts'
import { newId } from '../../worker/db/new-id.ts'
import { contentDb } from '../../worker/db/shards.ts'
import { recordTitle } from '../../worker/db/turns.ts'
import { modelRequest } from '../support/rows.ts'
import { scriptedModel, usage } from '../support/scripted-model.ts'
import { content } from './bindings.ts'
import { connected, me, newUser, recentThreads, turnArgs } from './sync-wire.ts'
import { bindings, generationOf, givenTurn, inside, recordedGeneration, recordOf, untilEnded } from './turns.ts'
import { until } from './until.ts'

/** Answers with this title, or never. */
const titleModel = (title: string | null) =>
  scriptedModel({
    doGenerate: () =>
      title === null
        ? new Promise(() => {})
        : Promise.resolve({
            content: [{ type: 'text', text: title }],
            finishReason: { unified: 'stop', raw: 'stop' },
            usage,
            warnings: [],
          }),
  })

const titleOf = (threadId: string) => content.prepare('select title from thread where id = ?').bind(threadId).first<string>('title')

const untilTitled = (threadId: string, title: string) =>
  until(
    () => titleOf(threadId),
    (shown) => shown === title,
    title,
  )

test('the first words are set with the message; a better title replaces them on every device while the answer streams', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me, recentThreads] })
  const args = turnArgs('# Why?\nI wonder.')
  await wire.confirmed(wire.mutate('threads.send', args))
  expect(wire.row('thread', args.threadId)).toMatchObject({ title: 'Why?', status: 'submitted' })
  const turn = { generationId: args.answerId, userId: user.userId, threadId: args.threadId, title: 'Why?' }
  await runInDurableObject(await recordedGeneration(args.answerId), (generation) =>
    generation.findTitle(turn, titleModel('"The moon and the sea"'), []),
  )
  await wire.until(() => wire.row('thread', args.threadId)?.title === 'The moon and the sea', 'the better title')
  expect(wire.row('thread', args.threadId)?.status).toBe('submitted')
  await wire.confirmed(wire.mutate('threads.stop', { threadId: args.threadId }))
  await wire.until(() => wire.row('thread', args.threadId)?.status === 'ready', 'the end')
  expect(wire.row('thread', args.threadId)?.title).toBe('The moon and the sea')
  await wire.close()
})

const found = (provisional: string, title: string | null, requests: readonly ModelRequest[] = []) => ({ provisional, title, requests })

test('it never replaces a name given by the user, and repeating it changes nothing', async () => {
  const command = await givenTurn('What is tea?')
  const turn = newTurn(command, false, 1)
  await content.prepare("update thread set title = 'What is tea?' where id = ?").bind(command.threadId).run()
  const record = (title: string) => recordTitle(bindings as unknown as Env, turn, found(turn.title ?? '', title))
  expect(await record('About tea')).toBe(turn.userId)
  for (const title of ['About tea', 'Something else']) await record(title)
  expect(await titleOf(command.threadId)).toBe('About tea')
  await content.prepare("update thread set title = 'Mine' where id = ?").bind(command.threadId).run()
  await record('About tea')
  expect(await recordTitle(bindings as unknown as Env, { ...turn, userId: 'somebody-else' }, found('Mine', 'Theirs'))).toBeNull()
  expect(await titleOf(command.threadId)).toBe('Mine')
})

test('its requests are recorded once, also without a title and after the turn has ended', async () => {
  const command = await givenTurn('/demo chunks=2 delay=0')
  await generationOf(command).start(command)
  await untilEnded(command)
  const requests = [
    modelRequest({ inputTokens: 60, outputTokens: 5, microDollars: 10 }),
    modelRequest({ inputTokens: null, microDollars: null }),
  ]
  const record = () => recordTitle(bindings as unknown as Env, newTurn(command, false, 1), found('', null, requests))
  expect(await record()).toBe(command.userId)
  await expect(record()).rejects.toThrow('UNIQUE')
  const { results } = await content
    .prepare('select id, purpose, day, inputTokens, microDollars from modelRequest where generationId = ? order by id')
    .bind(command.generationId)
    .all()
  const row = { purpose: 'title', day: 20_000 }
  expect(results).toEqual([
    { id: `${command.generationId}:title:1`, ...row, inputTokens: 60, microDollars: 10 },
    { id: `${command.generationId}:title:2`, ...row, inputTokens: null, microDollars: null },
  ])
  const sums = content.prepare('select title, tokens, microDollars, unpriced from thread where id = ?').bind(command.threadId)
  expect(await sums.first()).toEqual({ title: '/demo chunks=2 delay=0', tokens: 68, microDollars: 10, unpriced: 1 })
})

test('an answer does not wait for it, and the ending of the answer does not undo it', async () => {
  const command = await givenTurn('/demo chunks=2 delay=0')
  await inside(command, (generation) => generation.findTitle(newTurn(command, true, 1), titleModel(null), command.history))
  await generationOf(command).start(command)
  await untilEnded(command)
  expect((await recordOf(command)).thread).toMatchObject({ title: '/demo chunks=2 delay=0', status: 'ready' })
  await inside(command, (generation) => generation.findTitle(newTurn(command, true, 1), titleModel('Two words'), command.history))
  await untilTitled(command.threadId, 'Two words')
})

test('it belongs to the account if the guest has become one, on every device of the account', async () => {
  const command = await givenTurn('What is tea?')
  await content.prepare("update thread set title = 'What is tea?' where id = ?").bind(command.threadId).run()
  // With another content database than the guest.
  const accountId = newId()
  await linkGuest(bindings, { guestId: command.userId, accountId }, Date.now())
  const turn = newTurn(command, false, 1)
  expect(await recordTitle(bindings as unknown as Env, turn, found('What is tea?', 'About tea'))).toBe(accountId)
  const moved = contentDb(bindings, accountId).prepare('select title from thread where id = ?').bind(command.threadId)
  expect(await moved.first('title')).toBe('About tea')
})
