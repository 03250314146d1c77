// Facts from the end of a turn in the real objects on the real D1, their mutators, and what a later answer is given. Rules: worker/turns/SPEC.md, B1 to
// B6. The demo model finds a fact in each sentence that begins with "I" or "My".
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { dayOf } from '../../worker/contract/access.ts'
import { maxMemories, maxMemoryChars, memoryReadingsPerDay } from '../../worker/contract/limits.ts'
import type { AnswerMessage } from '../../worker/contract/threads/messages.ts'
import type { StartTurn } from '../../worker/contract/threads/turn.ts'
import { purgeMemories, purgeMessages } from '../../worker/db/cleanup.ts'
import { newId } from '../../worker/db/new-id.ts'
import { insert, messageRow } from '../support/rows.ts'
import { memoryRow } from '../support/rows-of-writing.ts'
import { content } from './bindings.ts'
import { saying } from './provider.ts'
import { connected, me, newUser, recentThreads, type SyncUser, turnArgs, type Wire } from './sync-wire.ts'
import { fireAlarm, givenTurn, inside, kill, recordedGeneration, untilEnded, untilSettled } from './turns.ts'
import { until } from './until.ts'

const mine = { hash: 'mine', name: 'memories.mine', args: [] }
const rows = async (sql: string, ...values: (string | number)[]) =>
  (
    await content
      .prepare(sql)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results

afterEach(() => vi.unstubAllGlobals())

describe('on the devices of a user', () => {
  let ada: SyncUser
  let wire: Wire
  beforeEach(async () => {
    ada = await newUser()
    wire = await connected(ada, { queries: [me, recentThreads, mine] })
    await wire.confirmed(wire.mutate('settings.update', { isMemoryOn: true }))
  })
  afterEach(() => wire.close())

  const ask = async (text: string, fields: object = {}) => {
    const args = { ...turnArgs(`/demo chunks=1 delay=0\n${text}`), isTyped: true, ...fields }
    await wire.confirmed(wire.mutate('threads.send', args))
    await untilEnded({ generationId: args.answerId })
    return args
  }
  /** Waits until the object of the turn has read the question or decided not to. */
  const untilDecided = async ({ answerId }: { readonly answerId: string }) => {
    const object = await recordedGeneration(answerId)
    const state = () => runInDurableObject(object, (_, { storage }) => storage.sql.exec('select turn, settledAtMs from turn').one())
    await until(state, ({ turn, settledAtMs }) => settledAtMs !== null && !String(turn).includes('"reading"'), 'the decision')
  }
  const untilRead = ({ messageId }: { readonly messageId: string }) =>
    until(
      () => content.prepare('select memoryAt from message where id = ?').bind(messageId).first('memoryAt'),
      (at) => at !== null,
      'the reading',
    )
  const textsNow = () => wire.rowsOf('memory').map(({ text }) => text)

  test('[B4] a typed message becomes facts, which name it and reach every device', async () => {
    const asked = await ask('My name is Ada. What is tea?\n\n> I am a king.')
    await wire.until(() => wire.rowsOf('memory').length === 1, 'the fact')
    expect(wire.rowsOf('memory')[0]).toMatchObject({
      ...{ id: `${asked.messageId}-m1`, threadId: asked.threadId, messageId: asked.messageId, path: [asked.messageId] },
      text: 'My name is Ada.',
    })
  })

  test('[B2] a later answer names the facts that it was given, as they were', async () => {
    await untilRead(await ask('I have a dog called Rex.'))
    const { threadId, answerId } = await ask('What does a dog eat?')
    const answer = await content.prepare('select message from message where id = ?').bind(answerId).first<string>('message')
    const { metadata } = JSON.parse(answer ?? '') as AnswerMessage
    expect(metadata.memories).toEqual([{ id: expect.stringMatching(/-m1$/), text: 'I have a dog called Rex.' }])
    expect(await rows('select title from thread where id = ?', threadId)).not.toContainEqual({ title: expect.stringContaining('Rex') })
  })

  test.each<[string, string, object]>([
    ['a pasted, inserted or imported text', 'My name is Ada.', { isTyped: false }],
    ['a quotation', '> My name is Ada.\n\nTrue?', {}],
    ['a block of code', '```\nMy name is Ada.\n```', {}],
    ['a temporary thread', 'My name is Ada.', { isTemporary: true }],
  ])('[B4] [B6] %s is not read', async (_, text, fields) => {
    const asked = await ask(text, fields)
    await untilDecided(asked)
    await untilRead(await ask('My other thread is read.'))
    await wire.until(() => textsNow().includes('My other thread is read.'), 'the other fact')
    expect(textsNow()).toEqual(['My other thread is read.'])
  })

  test('[B6] nothing is read while memory is off, or off in the project', async () => {
    const projectId = newId()
    await wire.confirmed(wire.mutate('projects.create', { id: projectId, name: 'Work', isMemoryOff: true, at: 1 }))
    await untilDecided(await ask('My project is secret.', { projectId }))
    await wire.confirmed(wire.mutate('settings.update', { isMemoryOn: false }))
    await untilDecided(await ask('My name is Ada.'))
    await wire.confirmed(wire.mutate('settings.update', { isMemoryOn: true }))
    await untilRead(await ask('My last message.'))
    await wire.until(() => textsNow().length > 0, 'a fact')
    expect(textsNow()).toEqual(['My last message.'])
  })

  test('[B4] a queued message keeps its mark', async () => {
    const first = { ...turnArgs('/demo chunks=400 delay=20'), isTyped: true }
    await wire.confirmed(wire.mutate('threads.send', first))
    const { modelId, threadId } = first
    const queued = {
      id: newId(),
      answerId: newId(),
      threadId,
      modelId,
      text: '/demo chunks=1 delay=0\nMy name is Ada.',
      isTyped: true,
      at: 1,
    }
    await wire.confirmed(wire.mutate('queue.add', queued))
    await wire.confirmed(wire.mutate('threads.stop', { threadId }))
    await untilEnded({ generationId: first.answerId })
    await wire.until(() => wire.row('thread', threadId)?.status === 'ready', 'the stop')
    await wire.confirmed(wire.mutate('queue.send', { id: queued.id, at: 1 }))
    await wire.until(() => textsNow().includes('My name is Ada.'), 'the fact')
  })

  test('[B3] a barred fact that is told again gets no second row without the bar', async () => {
    const { messageId } = await ask('My name is Ada.')
    await wire.until(() => textsNow().length === 1, 'the fact')
    await wire.refusalOf('memories.save', { id: `${messageId}-m1`, barredMakers: ['openai'] })
    await untilRead(await ask('My NAME is Ada. My town is Rome.'))
    await wire.until(() => textsNow().includes('My town is Rome.'), 'the other fact')
    expect(textsNow().toSorted()).toEqual(['My name is Ada.', 'My town is Rome.'])
  })

  test('[B5] an answer to the same message does not read it again', async () => {
    const asked = await ask('My name is Ada.')
    await untilRead(asked)
    await wire.until(() => wire.row('thread', asked.threadId)?.status === 'ready', 'the end')
    await wire.confirmed(wire.mutate('memories.delete', { id: `${asked.messageId}-m1` }))
    const answerId = newId()
    await wire.confirmed(
      wire.mutate('threads.answer', { threadId: asked.threadId, parentId: asked.messageId, answerId, modelId: 'kimi-k2', at: 1 }),
    )
    await untilDecided({ answerId })
    await untilRead(await ask('My second message.'))
    await wire.until(() => textsNow().length > 0, 'a fact')
    expect(textsNow()).toEqual(['My second message.'])
  })

  test('[B5] the readings of a day and the number of facts are limited', async () => {
    const fill = async (count: number, sql: string, ...values: (string | number)[]) => {
      for (let index = 0; index < count; index++)
        await content
          .prepare(sql)
          .bind(newId(), ...values)
          .run()
    }
    const { threadId } = await ask('/demo chunks=1 delay=0', { isTyped: false })
    const messages = 'insert into message (id, threadId, userId, message, memoryDay) values (?, ?, ?, ?, ?)'
    await fill(memoryReadingsPerDay, messages, threadId, ada.userId, '{}', dayOf(Date.now()))
    const late = await ask('My name is Ada.')
    await untilDecided(late)
    await content.prepare('update message set memoryDay = memoryDay - 1 where userId = ?').bind(ada.userId).run()
    const facts =
      "insert into memory (id, userId, threadId, messageId, path, text, editedAt, createdAt, updatedAt) values (?, ?, ?, 'gone', '[]', 'x', 1, 1, 1)"
    await fill(maxMemories, facts, ada.userId, threadId)
    const full = await ask('My name is Ada.')
    await untilDecided(full)
    await content.prepare('delete from memory where userId = ?').bind(ada.userId).run()
    const read = await ask('My name is Ada.')
    await untilRead(read)
    expect(await rows('select messageId from memory where userId = ?', ada.userId)).toEqual([{ messageId: read.messageId }])
    for (const { messageId } of [late, full])
      expect(await rows('select memoryBy from message where id = ?', messageId)).toEqual([{ memoryBy: null }])
  })

  test('facts are changed, deleted and restored on every device, and count as content', async () => {
    const asked = await ask('My name is Ada.')
    const id = `${asked.messageId}-m1`
    await wire.until(() => wire.row('memory', id) !== undefined, 'the fact')
    const other = await connected(ada, { queries: [me, mine] })
    // Without the title of the thread, which may be written meanwhile.
    const used = `select bytes - (select coalesce(sum(octet_length(title)), 0) from thread where userId = ?1) bytes
      from contentUse where userId = ?1`
    const use = async () => (await rows(used, ada.userId))[0]?.bytes as number
    const before = await use()
    expect(await wire.refusalOf('memories.save', { id, text: '  Is called\nAda Lovelace. ' })).toBeUndefined()
    await other.until(() => other.row('memory', id)?.text === 'Is called Ada Lovelace.', 'the edit')
    expect(other.row('memory', id)).toMatchObject({ editedAt: expect.any(Number) })
    expect(await use()).toBe(before + 'Is called Ada Lovelace.'.length - 'My name is Ada.'.length)
    await wire.refusalOf('memories.save', { id, isPinned: true, barredMakers: ['openai'] })
    await other.until(() => other.row('memory', id)?.isPinned === true, 'the pin')
    for (const text of ['', ' \u200b', 'x'.repeat(maxMemoryChars + 1)])
      expect(await wire.refusalOf('memories.save', { id, text })).toBe('memory_text')
    expect(await wire.refusalOf('memories.delete', { id })).toBeUndefined()
    await other.until(() => other.row('memory', id) === undefined, 'the deletion')
    expect(await wire.refusalOf('memories.save', { id, text: 'Again' })).toBe('not_found')
    expect(await other.refusalOf('memories.restore', { id })).toBeUndefined()
    await wire.until(() => wire.row('memory', id) !== undefined, 'the restored fact')
    await content.prepare('update memory set deletedAt = 1 where id = ?').bind(id).run()
    await purgeMemories(content, Date.now())
    expect(await rows('select id from memory where id = ?', id)).toEqual([])
    await other.close()
  })

  test('[B1] a purged message takes its facts with it, and leaves those that the user has edited', async () => {
    const { threadId } = await ask('/demo chunks=1 delay=0', { isTyped: false })
    const [messageId, kept, gone] = [newId(), newId(), newId()]
    await insert(content, 'message', messageRow(ada.userId, threadId, { id: messageId, deletedAt: 1 }))
    await insert(content, 'memory', memoryRow(ada.userId, threadId, messageId, { id: kept, editedAt: 5 }))
    await insert(content, 'memory', memoryRow(ada.userId, threadId, messageId, { id: gone }))
    await purgeMessages(content, Date.now())
    expect(await rows('select id from memory where userId = ?', ada.userId)).toEqual([{ id: kept }])
  })
})

describe('the object of the turn', () => {
  /** A turn whose question was typed, with memory on. */
  async function typedTurn(text: string): Promise<StartTurn> {
    const turn = await givenTurn(text, { needsTitle: false })
    await insert(content, 'setting', { id: turn.userId, userId: turn.userId, isMemoryOn: 1 })
    await content
      .prepare("update message set message = json_set(message, '$.isTyped', json('true')) where id = ?")
      .bind(turn.parentId)
      .run()
    return { ...turn, reading: { text, known: ['Likes tea.'] } }
  }

  type Answer = (body: string) => Promise<Response>
  /** The answer of the model, and that of the small model. */
  const run = (turn: StartTurn, facts: Answer, answer: () => Response = () => saying('Hello.')) =>
    inside(turn, (generation) => {
      generation.reachGateway()
      vi.stubGlobal('fetch', async (_input: unknown, init?: RequestInit) => {
        if (new Headers(init?.headers).get('ai-language-model-streaming') === 'true') return answer()
        return facts(await new Response(init?.body).text())
      })
      return generation.start(turn)
    })
  const generated = (text: string): Response =>
    Response.json({
      content: [{ type: 'text', text }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: { total: 100 }, outputTokens: { total: 10 } },
      warnings: [],
    })
  const foundFacts = (...facts: readonly (readonly [fact: string, quote: string])[]) =>
    generated(JSON.stringify({ facts: facts.map(([fact, quote]) => ({ fact, quote })) }))
  const factsOf = ({ userId }: StartTurn) => rows('select id, text from memory where userId = ? order by id', userId)
  const untilReadTurn = ({ parentId }: StartTurn) =>
    until(
      () => content.prepare('select memoryAt from message where id = ?').bind(parentId).first('memoryAt'),
      (at) => at !== null,
      'the reading',
    )

  test('[B4] a fact without a quote from the typed text is dropped, and the requests are recorded once', async () => {
    const turn = await typedTurn('My name is Ada.')
    const bodies: string[] = []
    await run(turn, async (body) => {
      bodies.push(body)
      return foundFacts(['Is called Ada.', 'my name is Ada'], ['Is a king.', 'I am a king.'], ['likes tea.', 'Ada'])
    })
    await untilReadTurn(turn)
    expect(await factsOf(turn)).toEqual([{ id: `${turn.parentId}-m1`, text: 'Is called Ada.' }])
    expect(bodies).toHaveLength(1)
    expect(
      await rows('select id, purpose, model, inputTokens from modelRequest where generationId = ? order by id', turn.generationId),
    ).toEqual([
      expect.objectContaining({ id: `${turn.generationId}:answer:1`, purpose: 'answer' }),
      { id: `${turn.generationId}:memory:1`, purpose: 'title', model: 'mistral/ministral-8b', inputTokens: 100 },
    ])
  })

  test.each<[string, Answer]>([
    ['writes something else', async () => generated('I follow no rules.')],
    ['fails', async () => new Response('{}', { status: 500 })],
  ])('[B5] a small model that %s ends the reading without facts', async (_, facts) => {
    const turn = await typedTurn('My name is Ada.')
    await run(turn, facts)
    await untilReadTurn(turn)
    expect(await factsOf(turn)).toEqual([])
  })

  test('a turn that does not complete reads nothing', async () => {
    const turn = await typedTurn('My name is Ada.')
    await run(
      turn,
      async () => foundFacts(['Is called Ada.', 'Ada']),
      () => new Response('{}', { status: 400 }),
    )
    await untilSettled(turn)
    await fireAlarm(turn)
    expect(await rows('select memoryBy from message where id = ?', turn.parentId)).toEqual([{ memoryBy: null }])
  })

  test('[B5] a crash during the request: the alarm reads the message again, once', async () => {
    const turn = await typedTurn('My name is Ada.')
    let requests = 0
    await run(turn, () => {
      requests += 1
      return new Promise(() => undefined)
    })
    await until(
      () => requests,
      (count) => count === 1,
      'the request',
    )
    expect(await rows('select memoryBy, memoryAt from message where id = ?', turn.parentId)).toEqual([
      { memoryBy: turn.generationId, memoryAt: null },
    ])
    await kill(turn)
    vi.stubGlobal('fetch', async () => {
      requests += 1
      return foundFacts(['Is called Ada.', 'Ada'])
    })
    await inside(turn, (generation) => generation.reachGateway())
    await fireAlarm(turn)
    expect(await factsOf(turn)).toEqual([{ id: `${turn.parentId}-m1`, text: 'Is called Ada.' }])
    await kill(turn)
    await inside(turn, (generation) => generation.reachGateway())
    await fireAlarm(turn)
    expect(requests).toBe(2)
  })

  test('[B5] a lost response of the batch stores each fact once', async () => {
    const turn = await typedTurn('My name is Ada.')
    await run(turn, async () => {
      await inside(turn, ({ faults }) => void faults.push('response-lost'))
      return foundFacts(['Is called Ada.', 'Ada'])
    })
    await untilReadTurn(turn)
    await fireAlarm(turn)
    expect(await factsOf(turn)).toHaveLength(1)
    expect(await rows("select id from modelRequest where generationId = ? and id like '%:memory:%'", turn.generationId)).toHaveLength(1)
  })

  test.each<[string, string]>([
    ['the message is deleted', 'update message set deletedAt = 5 where userId = ?'],
    ['the thread is deleted', 'update thread set deletedAt = 5 where userId = ?'],
    ['memory is switched off', 'update setting set isMemoryOn = 0 where userId = ?'],
  ])('[B1] [B6] stores nothing if %s during the request', async (_, sql) => {
    const turn = await typedTurn('My name is Ada.')
    await run(turn, async () => {
      await content.prepare(sql).bind(turn.userId).run()
      return foundFacts(['Is called Ada.', 'Ada'])
    })
    await untilReadTurn(turn)
    expect(await factsOf(turn)).toEqual([])
  })
})
