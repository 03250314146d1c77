// One question to several models: its turns are opened together or not at all, and each ends on its own. Rules: worker/turns/SPEC.md, M1 to M4.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { creditsPerDay } from '../../worker/contract/limits.ts'
import { content } from './bindings.ts'
import { type Asker, asker, comparison, idsOf, models, others } from './comparisons.ts'
import { freshId, turnArgs } from './sync-wire.ts'
import { until } from './until.ts'

let ada: Asker
beforeEach(async () => {
  ada = await asker()
})
afterEach(async () => {
  vi.unstubAllGlobals()
  await ada.wire().close()
})

test('[M1] asks every model, charges each answer, and continues with the first one', async () => {
  const args = comparison('/demo chunks=5 delay=0')
  await ada.accepted('threads.send', args)
  await ada.ready(args)
  expect(ada.endings(args)).toEqual(Array.from(models, () => ['completed', 1]))
  expect(idsOf(args).map((id) => ada.answer(id)?.metadata.modelId)).toEqual(models)
  expect(ada.thread(args)).toMatchObject({ headId: args.answerId, streamId: null, compared: idsOf(args).map((id) => ({ id })) })
  expect(await ada.usedCredits()).toBe(3)
  expect(await content.prepare('select count(*) n from message where parentId = ?').bind(args.messageId).first('n')).toBe(3)
})

test('the first answer that completes finds the title, also after another one has failed', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let isReleased = false
  let titles = 0
  const title = async () => {
    titles += 1
    if (!isReleased) return Response.json({ error: { message: 'no', type: 'invalid_request_error' } }, { status: 400 })
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
    return Response.json({
      content: [{ type: 'text', text: 'Where tea grows' }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage,
      warnings: [],
    })
  }
  await ada.modelsThat({ 'kimi-k2': 'fails', 'gpt-4o-mini': released }, models.length, title)
  const args = comparison('please tell me about tea')
  await ada.accepted('threads.send', args)
  await ada.stored(args.answerId)
  expect([ada.thread(args)?.title, titles]).toEqual(['please tell me about tea', 0])
  isReleased = true
  release()
  await ada.wire().until(() => ada.thread(args)?.title === 'Where tea grows', 'the title')
  expect(titles).toBe(1)
  await ada.accepted('threads.stop', { threadId: args.threadId })
  await ada.ready(args)
})

describe('[M1] is refused before anything is written', () => {
  test.each<readonly [string, () => object, string]>([
    ['four models', () => ({ ...turnArgs(), compareWith: others(models[1], models[2], 'gemini-2.5-flash') }), 'invalid_request'],
    ['no other model', () => ({ ...turnArgs(), compareWith: [] }), 'invalid_request'],
    ['the first model twice', () => ({ ...turnArgs(), compareWith: others('kimi-k2') }), 'invalid_request'],
    ['another model twice', () => ({ ...turnArgs(), compareWith: others(models[1], models[1]) }), 'invalid_request'],
    [
      'one answer twice',
      () => {
        const args = turnArgs()
        return { ...args, compareWith: [{ answerId: args.answerId, modelId: models[1] }] }
      },
      'invalid_request',
    ],
    ['a model of another plan', () => ({ ...turnArgs(), compareWith: others(models[1], 'gpt-5.5') }), 'premium_required'],
    ['an unknown model', () => ({ ...turnArgs(), compareWith: others('nothing') }), 'no_model'],
    ['a research', () => ({ ...turnArgs(), mode: 'research', compareWith: others(models[1]) }), 'invalid_request'],
  ])('%s', async (_what, args, expected) => {
    expect(await ada.code('threads.send', args())).toBe(expected)
    expect([await ada.count('thread'), await ada.count('message'), await ada.count('generation'), await ada.usedCredits()]).toEqual([
      0, 0, 0, 0,
    ])
  })

  test('too few credits for all answers', async () => {
    for (let used = 0; used + 3 <= creditsPerDay.guest; used += 3) {
      const args = comparison()
      await ada.accepted('threads.send', args)
      await ada.ready(args)
    }
    const before = await ada.count('generation')
    expect(await ada.code('threads.send', comparison())).toBe('credits_short')
    expect(await ada.count('generation')).toBe(before)
    await ada.accepted('threads.send', turnArgs())
  })

  test('credits that another device used meanwhile', async () => {
    // The object's rows do not show them: D1 refuses the third reservation, and with it the batch.
    const [{ userId }, day] = [ada.user, Math.floor(Date.now() / 86_400_000)]
    await content
      .prepare(
        `insert into creditLedger (id, userId, generationId, kind, credits, day, dailyLimit, createdAt) values (?, ?, ?, 'reserve', 18, ?, 20, 1)`,
      )
      .bind(`used-before:${userId}:reserve`, userId, `used-before:${userId}:${day}`, day)
      .run()
    expect(await ada.code('threads.send', comparison())).toBe('credits_exhausted')
    expect([await ada.count('message'), await ada.count('generation'), await ada.usedCredits()]).toEqual([0, 0, 18])
  })
})

test('a repeated mutation opens its turns once', async () => {
  await ada.modelsThat({})
  const args = comparison('hello')
  const id = ada.wire().push([{ name: 'threads.send', args }])
  await ada.wire().confirmed(id)
  const reserved = await ada.usedCredits()
  await ada.reconnect()
  await ada.wire().confirmed(ada.wire().push([{ name: 'threads.send', args, id }]))
  expect([await ada.count('generation'), await ada.usedCredits()]).toEqual([3, reserved])
  await ada.accepted('threads.stop', { threadId: args.threadId })
  await ada.ready(args)
})

describe('[M2] each answer ends on its own', () => {
  test('one completes, one fails and is free, and one is stopped alone', async () => {
    const asked = await ada.modelsThat({ 'kimi-k2': 'fails', 'gpt-4o-mini': 'answers', 'gpt-oss-120b': 'waits' })
    const args = comparison('hello')
    const [first = '', second = '', third = ''] = idsOf(args)
    await ada.accepted('threads.send', args)
    await Promise.all([ada.stored(first), ada.stored(second)])
    await until(
      () => asked.size,
      (size) => size === 3,
      'three questions',
    )
    expect(ada.thread(args)).toMatchObject({ status: 'submitted', streamId: third, headId: args.messageId })
    await ada.accepted('threads.stop', { threadId: args.threadId, answerId: third })
    await ada.ready(args)
    expect(ada.endings(args)).toEqual([
      ['failed', 0],
      ['completed', 1],
      ['stopped', 1],
    ])
    expect(await ada.usedCredits()).toBe(2)
    // The next message follows the answer that completed.
    expect(ada.thread(args)).toMatchObject({ headId: second, streamId: null })
  })

  test('Stop stops all of them', async () => {
    const asked = await ada.modelsThat({})
    const args = comparison('hello')
    await ada.accepted('threads.send', args)
    await until(
      () => asked.size,
      (size) => size === 3,
      'three questions',
    )
    await ada.accepted('threads.stop', { threadId: args.threadId })
    await ada.ready(args)
    expect(ada.endings(args)).toEqual(Array.from(models, () => ['stopped', 1]))
  })

  test('a late stop of one answer changes nothing', async () => {
    await ada.modelsThat({ 'kimi-k2': 'answers' })
    const args = comparison('hello')
    await ada.accepted('threads.send', args)
    await ada.stored(args.answerId)
    await ada.accepted('threads.stop', { threadId: args.threadId, answerId: args.answerId })
    expect(ada.thread(args)).toMatchObject({ status: 'submitted' })
    await ada.accepted('threads.stop', { threadId: args.threadId })
    await ada.ready(args)
    expect(ada.endings(args)[0]).toEqual(['completed', 1])
  })

  test('a failed one is retried in its place while others are running', async () => {
    await ada.modelsThat({ 'gpt-4o-mini': 'fails' })
    const args = comparison('hello')
    const [first, second = '', third] = idsOf(args)
    const retry = { threadId: args.threadId, parentId: args.messageId, answerId: freshId('answer'), insteadOf: second, at: 1 }
    await ada.accepted('threads.send', args)
    await ada.stored(second)
    expect(await ada.code('threads.answer', { ...retry, modelId: 'kimi-k2' })).toBe('invalid_request')
    expect(await ada.code('threads.answer', { ...retry, modelId: models[1], insteadOf: first })).toBe('not_found')
    expect(await ada.code('threads.answer', { ...retry, modelId: models[1], insteadOf: undefined })).toBe('thread_busy')
    await ada.modelsThat({ 'gpt-4o-mini': 'answers' }, 1)
    await ada.accepted('threads.answer', { ...retry, modelId: models[1] })
    await ada.stored(retry.answerId)
    expect(ada.thread(args)).toMatchObject({ status: 'submitted', compared: [{ id: first }, { id: retry.answerId }, { id: third }] })
    await ada.accepted('threads.stop', { threadId: args.threadId })
    await ada.ready(args)
    expect(ada.thread(args)).toMatchObject({ headId: retry.answerId })
    expect(await ada.usedCredits()).toBe(3)
  })

  test('one is retried after all have ended', async () => {
    const args = comparison()
    await ada.accepted('threads.send', args)
    await ada.ready(args)
    const again = { threadId: args.threadId, parentId: args.messageId, answerId: freshId('answer'), insteadOf: args.answerId, at: 1 }
    await ada.accepted('threads.answer', { ...again, modelId: 'kimi-k2' })
    await ada.stored(again.answerId)
    await ada.ready(args)
    expect(ada.thread(args)).toMatchObject({ headId: again.answerId, compared: [{ id: again.answerId }, {}, {}] })
  })
})
