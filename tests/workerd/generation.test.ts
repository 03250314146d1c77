// A turn from its order to its settled credits, in the real object on the real D1: every ending, and exactly one of them.

import { describe, expect, test } from 'vitest'
import { content } from './bindings.ts'
import { credits, generationOf, givenTurn, openStream, partsOf, readEvents, recordOf, textIn, untilEnded, words } from './turns.ts'

const reserved = { kind: 'reserve', credits, day: 20_000 }
const settled = [reserved, { kind: 'settle', credits: 0, day: 20_000 }]
const released = [{ kind: 'release', credits: -credits, day: 20_000 }, reserved].sort((a, b) => (a.kind < b.kind ? -1 : 1))

describe('a completed answer', () => {
  test('is one row; the thread is ready and titled, the credits are settled once', async () => {
    const order = await givenTurn('/demo chunks=20 think=3 delay=0')
    await generationOf(order).ensure(order)
    await untilEnded(order)
    const record = await recordOf(order)
    expect(record).toMatchObject({
      thread: { title: '/demo chunks=20 think=3 delay=0', status: 'ready', streamId: null, headId: order.generationId },
      generation: { status: 'completed', error: null },
      ledger: settled,
      usage: { credits, day: 20_000 },
      answers: 1,
      parentId: order.parentId,
    })
    expect(record.answer?.metadata).toMatchObject({
      modelId: 'kimi-k2',
      modelName: 'Kimi K2',
      modelIcon: 'moonshot',
      ending: 'completed',
      credits,
      demo: true,
    })
    expect(record.answer?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'thought1 thought2 thought3 ', state: 'done' },
      { type: 'text', text: words(20), state: 'done' },
    ])
  })

  test('may consist of a picture only, which is stored completely and charged', async () => {
    const order = await givenTurn('/demo chunks=0 draw=900000 delay=0')
    await generationOf(order).ensure(order)
    await untilEnded(order)
    const record = await recordOf(order)
    expect(record).toMatchObject({ generation: { status: 'completed' }, ledger: settled })
    expect(record.answer?.parts).toMatchObject([{ type: 'step-start' }, { type: 'file', mediaType: 'image/png' }])
    expect(JSON.stringify(record.answer?.parts).length).toBeLessThan(300)
  })

  test('keeps an existing title', async () => {
    const order = await givenTurn('/demo chunks=1 delay=0', { untitled: false })
    await generationOf(order).ensure(order)
    await untilEnded(order)
    expect((await recordOf(order)).thread).toMatchObject({ title: 'A title given before' })
  })

  test('does not undo changes of its thread made meanwhile: a name, a deletion', async () => {
    const order = await givenTurn('/demo chunks=40 delay=5')
    await generationOf(order).ensure(order)
    await readEvents(await openStream(order), (events) => events.length > 5)
    await content
      .prepare("update thread set title = 'Named by its person', deletedAt = 7, updatedAt = ? where id = ?")
      .bind(Date.now() + 60_000, order.threadId)
      .run()
    await untilEnded(order)
    expect(await recordOf(order)).toMatchObject({ thread: { title: 'Named by its person', status: 'ready' }, answers: 1 })
    const kept = await content
      .prepare('select deletedAt, updatedAt > ? isLater from thread where id = ?')
      .bind(Date.now(), order.threadId)
      .first()
    expect(kept).toEqual({ deletedAt: 7, isLater: 1 })
  })

  test('equals what its readers received, chunk for chunk', async () => {
    const order = await givenTurn('/demo chunks=40 think=4 delay=1')
    const response = openStream(order)
    await generationOf(order).ensure(order)
    const events = await readEvents(await response)
    expect(events.at(-1)).toEqual({ type: 'end', ending: 'completed' })
    const ids = events.flatMap((event) => (event.type === 'chunk' ? [event.id] : []))
    expect(ids).toEqual(ids.map((_, index) => index + 1))
    await untilEnded(order)
    expect(partsOf(events)).toEqual((await recordOf(order)).answer?.parts)
  })

  test('[G3] is written once, for any number of orders', async () => {
    const order = await givenTurn('/demo chunks=30 delay=2')
    const generation = generationOf(order)
    await Promise.all([generation.ensure(order), generation.ensure(order), generation.ensure(order)])
    await generation.ensure(order)
    await untilEnded(order)
    await generation.ensure(order)
    const record = await recordOf(order)
    expect(record).toMatchObject({ answers: 1, ledger: settled })
    expect(textIn(record.answer?.parts ?? [])).toBe(words(30))
  })

  test('continues an interrupted one in the same sentence', async () => {
    const cut = '/demo chunks=10 delay=0'
    const order = await givenTurn(cut, {
      continued: [
        { type: 'reasoning', text: 'hm', state: 'done', durationMs: 7 },
        { type: 'text', text: 'word1 word2 wo', state: 'done' },
      ],
    })
    await generationOf(order).ensure(order)
    await untilEnded(order)
    expect((await recordOf(order)).answer?.parts).toMatchObject([
      { type: 'reasoning', text: 'hm', state: 'done', durationMs: 7 },
      { type: 'text', text: words(10), state: 'done' },
      { type: 'step-start' },
    ])
  })
})

describe('a stopped answer', () => {
  test('keeps its text, and the request to the model is aborted', async () => {
    const order = await givenTurn('/demo chunks=5000 delay=2')
    const generation = generationOf(order)
    await generation.ensure(order)
    const reading = readEvents(await openStream(order))
    await readEvents(await openStream(order), (events) => events.length > 10)
    await generation.stop(order.generationId, order.userId)
    const events = await reading
    expect(events.at(-1)).toEqual({ type: 'end', ending: 'stopped' })
    await untilEnded(order)
    const record = await recordOf(order)
    expect(record).toMatchObject({
      thread: { status: 'ready', streamId: null },
      generation: { status: 'stopped' },
      ledger: settled,
      answers: 1,
    })
    expect(partsOf(events)).toEqual(record.answer?.parts)
    expect(words(5000).startsWith(textIn(record.answer?.parts ?? []))).toBe(true)
  })

  test('is charged before its first word, because the request was sent', async () => {
    const order = await givenTurn('/demo silent=start')
    await generationOf(order).ensure(order)
    await generationOf(order).stop(order.generationId, order.userId)
    await untilEnded(order)
    expect(await recordOf(order)).toMatchObject({
      generation: { status: 'stopped' },
      ledger: settled,
      usage: { credits },
      answers: 1,
      answer: { parts: [], metadata: { credits } },
    })
  })

  test('may be stopped before it was ordered, and is not started afterwards', async () => {
    const order = await givenTurn('/demo chunks=3 delay=0')
    await generationOf(order).stop(order.generationId, order.userId)
    await untilEnded(order)
    await generationOf(order).ensure(order)
    expect(await recordOf(order)).toMatchObject({
      thread: { status: 'ready', streamId: null },
      generation: { status: 'stopped' },
      ledger: released,
      answers: 1,
      answer: { parts: [], metadata: { modelName: 'Kimi K2', ending: 'stopped' } },
    })
  })

  test('cannot be stopped by another user', async () => {
    const order = await givenTurn('/demo chunks=20 delay=2')
    await generationOf(order).ensure(order)
    await generationOf(order).stop(order.generationId, 'somebody-else')
    await untilEnded(order)
    expect((await recordOf(order)).generation).toMatchObject({ status: 'completed' })
    const unordered = await givenTurn('/demo chunks=1')
    await generationOf(unordered).stop(unordered.generationId, 'somebody-else')
    expect((await recordOf(unordered)).generation).toMatchObject({ status: 'open' })
  })
})

describe('a failed answer', () => {
  test('before its first word releases the credits and states the reason', async () => {
    const order = await givenTurn('/demo fail=start')
    await generationOf(order).ensure(order)
    await untilEnded(order)
    expect(await recordOf(order)).toMatchObject({
      thread: { status: 'ready' },
      generation: { status: 'failed', error: 'model_error' },
      ledger: released,
      usage: { credits: 0 },
      answers: 1,
      answer: { parts: [], metadata: { ending: 'failed', credits: 0, failure: { code: 'model_error' } } },
    })
  })

  test('in the middle keeps its start, which is charged', async () => {
    const order = await givenTurn('/demo chunks=10 fail delay=0')
    await generationOf(order).ensure(order)
    const events = await readEvents(await openStream(order))
    expect(events.slice(-3)).toMatchObject([{ chunk: { type: 'error' } }, { chunk: { type: 'finish' } }, { type: 'end', ending: 'failed' }])
    await untilEnded(order)
    const record = await recordOf(order)
    expect(record).toMatchObject({ generation: { status: 'failed' }, ledger: settled, answer: { metadata: { credits } } })
    expect(textIn(record.answer?.parts ?? [])).toBe(words(5))
  })

  test('without text is reported as empty', async () => {
    const order = await givenTurn('/demo empty')
    await generationOf(order).ensure(order)
    await untilEnded(order)
    expect(await recordOf(order)).toMatchObject({ generation: { status: 'failed', error: 'model_empty' }, ledger: released })
  })

  test('too long to store is truncated, stored and charged', async () => {
    const order = await givenTurn('/demo chunks=3000 chars=1000 delay=0')
    await generationOf(order).ensure(order)
    await untilEnded(order)
    const record = await recordOf(order)
    expect(record).toMatchObject({ generation: { status: 'failed', error: 'answer_too_long' }, ledger: settled, answers: 1 })
    expect(textIn(record.answer?.parts ?? []).length).toBeGreaterThan(1_790_000)
  })

  test('with a picture that is too large reports it, and is charged for its text', async () => {
    for (const [chunks, ledger] of [
      [0, released],
      [3, settled],
    ] as const) {
      const order = await givenTurn(`/demo chunks=${chunks} draw=9000000 delay=0`)
      await generationOf(order).ensure(order)
      await untilEnded(order)
      const record = await recordOf(order)
      expect(record).toMatchObject({ generation: { status: 'failed', error: 'made_file_too_large' }, ledger, answers: 1 })
      expect(record.answer?.metadata).toMatchObject({ credits: chunks === 0 ? 0 : credits })
      expect(JSON.stringify(record.answer).length).toBeLessThan(2000)
    }
  })
})

test('a turn whose thread was permanently deleted ends without content in it', async () => {
  const order = await givenTurn('/demo chunks=100 delay=2')
  await generationOf(order).ensure(order)
  await content.prepare('delete from thread where id = ?').bind(order.threadId).run()
  await untilEnded(order)
  expect(await recordOf(order)).toMatchObject({ thread: null, generation: { status: 'completed' }, answers: 0, ledger: settled })
})
