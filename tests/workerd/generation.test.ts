// A turn from its turn to its settled credits, in the real object on the real D1: every ending, and exactly one of them.

import { describe, expect, test } from 'vitest'
import { content } from './bindings.ts'
import { credits, generationOf, givenTurn, openStream, partsOf, readEvents, recordOf, textIn, untilEnded, words } from './turns.ts'

const reserved = { kind: 'reserve', credits, day: 20_000 }
const settled = [reserved, { kind: 'settle', credits: 0, day: 20_000 }]
const released = [{ kind: 'release', credits: -credits, day: 20_000 }, reserved].sort((a, b) => (a.kind < b.kind ? -1 : 1))

describe('a completed answer', () => {
  test('is one row; the thread is ready and titled, the credits are settled once', async () => {
    const turn = await givenTurn('/demo chunks=20 think=3 delay=0')
    await generationOf(turn).start(turn)
    await untilEnded(turn)
    const record = await recordOf(turn)
    expect(record).toMatchObject({
      thread: { title: '/demo chunks=20 think=3 delay=0', status: 'ready', streamId: null, headId: turn.generationId },
      generation: { status: 'completed', error: null },
      ledger: settled,
      usage: { credits, day: 20_000 },
      answers: 1,
      parentId: turn.parentId,
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
    const turn = await givenTurn('/demo chunks=0 draw=900000 delay=0')
    await generationOf(turn).start(turn)
    await untilEnded(turn)
    const record = await recordOf(turn)
    expect(record).toMatchObject({ generation: { status: 'completed' }, ledger: settled })
    expect(record.answer?.parts).toMatchObject([{ type: 'step-start' }, { type: 'file', mediaType: 'image/png' }])
    expect(JSON.stringify(record.answer?.parts).length).toBeLessThan(300)
  })

  test('keeps an existing title', async () => {
    const turn = await givenTurn('/demo chunks=1 delay=0', { needsTitle: false })
    await generationOf(turn).start(turn)
    await untilEnded(turn)
    expect((await recordOf(turn)).thread).toMatchObject({ title: 'A title given before' })
  })

  test('does not undo changes of its thread made meanwhile: a name, a deletion', async () => {
    const turn = await givenTurn('/demo chunks=40 delay=5')
    await generationOf(turn).start(turn)
    await readEvents(await openStream(turn), (events) => events.length > 5)
    await content
      .prepare("update thread set title = 'Named by its user', deletedAt = 7, updatedAt = ? where id = ?")
      .bind(Date.now() + 60_000, turn.threadId)
      .run()
    await untilEnded(turn)
    expect(await recordOf(turn)).toMatchObject({ thread: { title: 'Named by its user', status: 'ready' }, answers: 1 })
    const kept = await content
      .prepare('select deletedAt, updatedAt > ? isLater from thread where id = ?')
      .bind(Date.now(), turn.threadId)
      .first()
    expect(kept).toEqual({ deletedAt: 7, isLater: 1 })
  })

  test('equals what its readers received, chunk for chunk', async () => {
    const turn = await givenTurn('/demo chunks=40 think=4 delay=1')
    const response = openStream(turn)
    await generationOf(turn).start(turn)
    const events = await readEvents(await response)
    expect(events.at(-1)).toEqual({ type: 'end', ending: 'completed' })
    const ids = events.flatMap((event) => (event.type === 'chunk' ? [event.id] : []))
    expect(ids).toEqual(ids.map((_, index) => index + 1))
    await untilEnded(turn)
    expect(partsOf(events)).toEqual((await recordOf(turn)).answer?.parts)
  })

  test('[G3] is written once, for any number of start commands', async () => {
    const turn = await givenTurn('/demo chunks=30 delay=2')
    const generation = generationOf(turn)
    await Promise.all([generation.start(turn), generation.start(turn), generation.start(turn)])
    await generation.start(turn)
    await untilEnded(turn)
    await generation.start(turn)
    const record = await recordOf(turn)
    expect(record).toMatchObject({ answers: 1, ledger: settled })
    expect(textIn(record.answer?.parts ?? [])).toBe(words(30))
  })

  test('continues an interrupted one in the same sentence', async () => {
    const cut = '/demo chunks=10 delay=0'
    const turn = await givenTurn(cut, {
      continued: [
        { type: 'reasoning', text: 'hm', state: 'done', durationMs: 7 },
        { type: 'text', text: 'word1 word2 wo', state: 'done' },
      ],
    })
    await generationOf(turn).start(turn)
    await untilEnded(turn)
    expect((await recordOf(turn)).answer?.parts).toMatchObject([
      { type: 'reasoning', text: 'hm', state: 'done', durationMs: 7 },
      { type: 'text', text: words(10), state: 'done' },
      { type: 'step-start' },
    ])
  })
})

describe('a stopped answer', () => {
  test('keeps its text, and the request to the model is aborted', async () => {
    const turn = await givenTurn('/demo chunks=5000 delay=10')
    const generation = generationOf(turn)
    await generation.start(turn)
    const reading = readEvents(await openStream(turn))
    await readEvents(await openStream(turn), (events) => events.length > 10)
    await generation.stop(turn.generationId, turn.userId)
    const events = await reading
    expect(events.at(-1)).toEqual({ type: 'end', ending: 'stopped' })
    await untilEnded(turn)
    const record = await recordOf(turn)
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
    const turn = await givenTurn('/demo silent=start')
    await generationOf(turn).start(turn)
    await generationOf(turn).stop(turn.generationId, turn.userId)
    await untilEnded(turn)
    expect(await recordOf(turn)).toMatchObject({
      generation: { status: 'stopped' },
      ledger: settled,
      usage: { credits },
      answers: 1,
      answer: { parts: [], metadata: { credits } },
    })
  })

  test('may be stopped before its start command arrived, and is not started afterwards', async () => {
    const turn = await givenTurn('/demo chunks=3 delay=0')
    await generationOf(turn).stop(turn.generationId, turn.userId)
    await untilEnded(turn)
    await generationOf(turn).start(turn)
    expect(await recordOf(turn)).toMatchObject({
      thread: { status: 'ready', streamId: null },
      generation: { status: 'stopped' },
      ledger: released,
      answers: 1,
      answer: { parts: [], metadata: { modelName: 'Kimi K2', ending: 'stopped' } },
    })
  })

  test('cannot be stopped by another user', async () => {
    const turn = await givenTurn('/demo chunks=20 delay=2')
    await generationOf(turn).start(turn)
    await generationOf(turn).stop(turn.generationId, 'somebody-else')
    await untilEnded(turn)
    expect((await recordOf(turn)).generation).toMatchObject({ status: 'completed' })
    const unordered = await givenTurn('/demo chunks=1')
    await generationOf(unordered).stop(unordered.generationId, 'somebody-else')
    expect((await recordOf(unordered)).generation).toMatchObject({ status: 'open' })
  })
})

describe('a failed answer', () => {
  test('before its first word releases the credits and states the reason', async () => {
    const turn = await givenTurn('/demo fail=start')
    await generationOf(turn).start(turn)
    await untilEnded(turn)
    expect(await recordOf(turn)).toMatchObject({
      thread: { status: 'ready' },
      generation: { status: 'failed', error: 'model_error' },
      ledger: released,
      usage: { credits: 0 },
      answers: 1,
      answer: { parts: [], metadata: { ending: 'failed', credits: 0, failure: { code: 'model_error' } } },
    })
  })

  test('in the middle keeps its start, which is charged', async () => {
    const turn = await givenTurn('/demo chunks=10 fail delay=0')
    await generationOf(turn).start(turn)
    const events = await readEvents(await openStream(turn))
    expect(events.slice(-3)).toMatchObject([{ chunk: { type: 'error' } }, { chunk: { type: 'finish' } }, { type: 'end', ending: 'failed' }])
    await untilEnded(turn)
    const record = await recordOf(turn)
    expect(record).toMatchObject({ generation: { status: 'failed' }, ledger: settled, answer: { metadata: { credits } } })
    expect(textIn(record.answer?.parts ?? [])).toBe(words(5))
  })

  test('without text is reported as empty', async () => {
    const turn = await givenTurn('/demo empty')
    await generationOf(turn).start(turn)
    await untilEnded(turn)
    expect(await recordOf(turn)).toMatchObject({ generation: { status: 'failed', error: 'model_empty' }, ledger: released })
  })

  test('too long to store is truncated, stored and charged', async () => {
    const turn = await givenTurn('/demo chunks=3000 chars=1000 delay=0')
    await generationOf(turn).start(turn)
    await untilEnded(turn)
    const record = await recordOf(turn)
    expect(record).toMatchObject({ generation: { status: 'failed', error: 'answer_too_long' }, ledger: settled, answers: 1 })
    expect(textIn(record.answer?.parts ?? []).length).toBeGreaterThan(1_790_000)
  })

  test('with a picture that is too large reports it, and is charged for its text', async () => {
    for (const [chunks, ledger] of [
      [0, released],
      [3, settled],
    ] as const) {
      const turn = await givenTurn(`/demo chunks=${chunks} draw=9000000 delay=0`)
      await generationOf(turn).start(turn)
      await untilEnded(turn)
      const record = await recordOf(turn)
      expect(record).toMatchObject({ generation: { status: 'failed', error: 'made_file_too_large' }, ledger, answers: 1 })
      expect(record.answer?.metadata).toMatchObject({ credits: chunks === 0 ? 0 : credits })
      expect(JSON.stringify(record.answer).length).toBeLessThan(2000)
    }
  })
})

test('a turn whose thread was permanently deleted ends without content in it', async () => {
  const turn = await givenTurn('/demo chunks=100 delay=2')
  await generationOf(turn).start(turn)
  await content.prepare('delete from thread where id = ?').bind(turn.threadId).run()
  await untilEnded(turn)
  expect(await recordOf(turn)).toMatchObject({ thread: null, generation: { status: 'completed' }, answers: 0, ledger: settled })
})
