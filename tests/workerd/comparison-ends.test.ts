// A comparison after a crash, how the thread continues after it, and its queue. Rules: worker/turns/SPEC.md, M3 to M5.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { content } from './bindings.ts'
import { type Asker, asker, comparison, idsOf, models, others } from './comparisons.ts'
import { fireAlarm, inside, kill as killSync, setAlarmAt } from './sync-object.ts'
import { turnArgs } from './sync-wire.ts'
import { kill, recordedGeneration } from './turns.ts'
import { until } from './until.ts'

let ada: Asker
beforeEach(async () => {
  ada = await asker()
})
afterEach(async () => {
  vi.unstubAllGlobals()
  await ada.wire().close()
})

describe('[M3] after a crash', () => {
  test('between reserving and starting, the alarm starts every answer', async () => {
    await inside(ada.user, ({ watch }) => {
      watch.sticksAt = 'write'
    })
    const args = comparison('/demo chunks=5 delay=0')
    ada.wire().mutate('threads.send', args)
    await until(() => inside(ada.user, ({ watch }) => watch.hasStuck), Boolean, 'stuck')
    await killSync(ada.user)
    await ada.reconnect()
    await setAlarmAt(ada.user, 'turns', 1)
    await fireAlarm(ada.user)
    await ada.ready(args)
    expect(ada.endings(args)).toEqual(Array.from(models, () => ['completed', 1]))
  })

  test('between the starts, a stop ends every answer and charges only those that were asked', async () => {
    const asked = await ada.modelsThat({})
    await inside(ada.user, (object) => {
      object.startCommands.areRefused = true
    })
    const args = comparison('hello')
    await ada.accepted('threads.send', args)
    await ada.accepted('threads.stop', { threadId: args.threadId })
    await ada.ready(args)
    expect(asked.size).toBe(0)
    expect(ada.endings(args)).toEqual(Array.from(models, () => ['stopped', 0]))
    expect(await ada.usedCredits()).toBe(0)
  })

  test('of one answer, the others continue', async () => {
    const asked = await ada.modelsThat({ 'gpt-4o-mini': 'answers' })
    const args = comparison('hello')
    const [first = '', , third = ''] = idsOf(args)
    await ada.accepted('threads.send', args)
    await until(
      () => asked.size,
      (size) => size === 3,
      'three questions',
    )
    await recordedGeneration(first)
    await kill({ generationId: first } as Parameters<typeof kill>[0])
    await setAlarmAt(ada.user, 'turns', 1)
    await fireAlarm(ada.user)
    await ada.stored(first)
    expect(ada.thread(args)).toMatchObject({ status: 'submitted', streamId: third })
    await ada.accepted('threads.stop', { threadId: args.threadId })
    await ada.ready(args)
    expect(ada.endings(args)).toEqual([
      ['interrupted', 0],
      ['completed', 1],
      ['stopped', 1],
    ])
  })
})

describe('[M4] continuing', () => {
  test('with one answer ends the comparison, and the others stay as versions', async () => {
    const args = comparison()
    const [, , third = ''] = idsOf(args)
    await ada.accepted('threads.send', args)
    await ada.ready(args)
    await ada.accepted('threads.show', { threadId: args.threadId, messageId: third })
    expect(ada.thread(args)).toMatchObject({ headId: third, compared: null })
    for (const id of idsOf(args)) expect(ada.answer(id)).toBeDefined()
  })

  test('without a choice follows the selected answer and ends the comparison', async () => {
    const args = comparison()
    await ada.accepted('threads.send', args)
    await ada.ready(args)
    const next = { ...turnArgs('/demo chunks=1 delay=0', args.threadId), parentId: args.answerId }
    await ada.accepted('threads.send', next)
    await ada.ready(args)
    expect(ada.thread(args)).toMatchObject({ headId: next.answerId, compared: null })
  })

  test('is refused while an answer is running', async () => {
    await ada.modelsThat({ 'kimi-k2': 'answers' })
    const args = comparison('hello')
    await ada.accepted('threads.send', args)
    await ada.stored(args.answerId)
    expect(await ada.code('threads.show', { threadId: args.threadId, messageId: args.answerId })).toBe('thread_busy')
    await ada.accepted('threads.stop', { threadId: args.threadId })
    await ada.ready(args)
  })
})

describe('[M5] the queue', () => {
  const queued = ({ threadId }: { readonly threadId: string }) => {
    const { messageId: id, parentId: _parentId, ...args } = comparison('/demo chunks=1 delay=0', threadId)
    return { id, ...args }
  }

  test('sends a queued comparison to all of its models', async () => {
    await ada.modelsThat({}, 1)
    const first = turnArgs('hello')
    await ada.accepted('threads.send', first)
    const later = queued(first)
    await ada.accepted('queue.add', later)
    expect(await ada.code('queue.add', { ...queued(first), compareWith: others('kimi-k2') })).toBe('invalid_request')
    await ada.accepted('threads.stop', { threadId: first.threadId })
    await ada.ready(first)
    await ada.accepted('queue.send', { id: later.id, at: 1 })
    const ids = [later.answerId, ...later.compareWith.map(({ answerId }) => answerId)]
    for (const id of ids) await ada.stored(id)
    expect(ids.map((id) => ada.answer(id)?.metadata.modelId)).toEqual(models)
  })

  test('asks only the new model after an edit', async () => {
    await ada.modelsThat({}, 1)
    const first = turnArgs('hello')
    await ada.accepted('threads.send', first)
    const later = queued(first)
    await ada.accepted('queue.add', later)
    await ada.accepted('queue.edit', { id: later.id, modelId: models[2], at: 1 })
    const row = await content.prepare('select modelId, compareWith from queuedMessage where id = ?').bind(later.id).first()
    expect(row).toEqual({ modelId: models[2], compareWith: null })
    await ada.accepted('queue.remove', { id: later.id })
    await ada.accepted('threads.stop', { threadId: first.threadId })
    await ada.ready(first)
  })

  test.each([
    ['continues after a comparison of which one answer completed', 'answers', 'gpt-4o-mini'],
    ['is held after a comparison without a completed answer', 'waits', null],
  ] as const)('%s', async (_what, second, follows) => {
    const asked = await ada.modelsThat({ 'gpt-4o-mini': second })
    const args = comparison('hello')
    await ada.accepted('threads.send', args)
    await until(
      () => asked.size,
      (size) => size === 3,
      'three questions',
    )
    if (second === 'answers') await ada.stored(idsOf(args)[1] ?? '')
    const { compareWith: _compareWith, ...later } = queued(args)
    await ada.accepted('queue.add', later)
    await ada.accepted('threads.stop', { threadId: args.threadId })
    if (follows === null) {
      await ada.ready(args)
      const hold = await content.prepare('select hold from queuedMessage where id = ?').bind(later.id).first('hold')
      return expect(hold).toBe('stopped')
    }
    await ada.stored(later.answerId)
    const parent = String(ada.wire().row('message', later.id)?.parentId)
    expect(ada.answer(parent)?.metadata.modelId).toBe(follows)
  })
})
