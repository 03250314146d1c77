// A turn that searches, in the real object on the real D1: its content, and its use of the daily searches.

import { afterEach, describe, expect, test, vi } from 'vitest'
import { searchesPerDay } from '../../worker/contract/limits.ts'
import type { TurnMode } from '../../worker/contract/models/modes.ts'
import { isToolPart } from '../../worker/contract/models/tools.ts'
import { sourcesOf } from '../../worker/contract/threads/sources.ts'
import type { StartTurn } from '../../worker/contract/threads/turn.ts'
import { chargeSearch } from '../../worker/db/turns.ts'
import { content } from './bindings.ts'
import type { BatchFault } from './faulty-generation.ts'
import { calling, saying, stubProvider } from './provider.ts'
import {
  bindings,
  fireAlarm,
  generationOf,
  givenTurn,
  inside,
  kill,
  openStream,
  readEvents,
  recordOf,
  textIn,
  untilEnded,
} from './turns.ts'
import { until } from './until.ts'

afterEach(() => vi.unstubAllGlobals())

const counts = async (userId: string, generationId: string) => ({
  usage: await content.prepare('select search from usage where userId = ?').bind(userId).first('search'),
  ledger: (
    await content.prepare('select id, search from creditLedger where generationId = ? order by rowid').bind(generationId).all()
  ).results.map(({ id, search }) => `${String(id).slice(generationId.length + 1)} ${search}`),
})

const kept = ['reserve 0', 'search 1', 'settle 0']
const givenBack = (ending: 'settle' | 'release') => ['reserve 0', 'search 1', `${ending} 0`, 'search:release -1']

async function answered(text: string, mode: TurnMode = 'search', more: Partial<StartTurn> = {}) {
  const turn = { ...(await givenTurn(text, { mode })), ...more }
  await generationOf(turn).start(turn)
  await untilEnded(turn)
  return { turn, ...(await recordOf(turn)), ...(await counts(turn.userId, turn.generationId)) }
}

test('an answer with tools is stored with its searches, its pages and its sources, and counts one search', async () => {
  const { answer, usage, ledger, generation } = await answered('/demo delay=0 search=how bread rises')
  expect(generation).toEqual({ status: 'completed', error: null })
  expect(answer?.metadata).toMatchObject({ mode: 'search', ending: 'completed' })
  expect(answer?.parts.map(({ type }) => type).filter((type) => type.startsWith('tool-'))).toEqual([
    'tool-search',
    'tool-read_page',
    'tool-read_page',
  ])
  expect(sourcesOf(answer?.parts ?? [])[0]).toMatchObject({ number: 1, title: 'How bread rises', site: 'library.parley.example' })
  expect(JSON.stringify(answer?.parts)).not.toContain('The crust browns last')
  expect({ usage, ledger }).toEqual({ usage: 1, ledger: kept })
})

test('a half surrogate pair in a query becomes a replacement character, which every JSON function reads', async () => {
  const turn = await givenTurn('tea?', { mode: 'search', needsTitle: false })
  await inside(turn, (generation, state) => {
    generation.reachGateway()
    stubProvider(state, async (call) => (call === 1 ? calling('search', '{"query":"tea \\ud83d"}') : saying('Tea.')))
    return generation.start(turn)
  })
  await untilEnded(turn)
  const query = `select part.value ->> '$.input.query' as query from message, json_each(message, '$.parts') as part
                 where message.id = ? and part.value ->> '$.type' = 'tool-search'`
  expect(await content.prepare(query).bind(turn.generationId).first('query')).toBe('tea \ufffd')
  expect((await recordOf(turn)).answer?.parts.find(isToolPart)?.input).toEqual({ query: 'tea \ufffd' })
})

describe('[G20] the search is charged when it is made', () => {
  test.each<[string, string, TurnMode, number, readonly string[]]>([
    ['by the decision of the model', '/demo delay=0 search=tea', 'chat', 1, kept],
    ['once, for a search that found nothing', '/demo delay=0 search=nothing at all', 'chat', 1, kept],
    ['and given back when it failed, though the answer is charged', '/demo delay=0 search=fail', 'search', 0, givenBack('settle')],
    ['and not when none was made', '/demo delay=0 read=https://library.parley.example/tea', 'search', 0, ['reserve 0', 'settle 0']],
    ['and not without an answer', '/demo fail=start', 'search', 0, ['reserve 0', 'release 0']],
  ])('%s', async (_name, text, mode, usage, ledger) => {
    expect(await answered(text, mode)).toMatchObject({ usage, ledger })
  })

  test('not while the web is switched off in the thread, unless the user forced the search', async () => {
    const off = { offTools: ['web'] }
    const { answer, ledger } = await answered('/demo delay=0 chunks=3 search=tea', 'chat', off)
    expect(answer?.metadata.ending).toBe('completed')
    expect(ledger).toEqual(['reserve 0', 'settle 0'])
    expect((await answered('/demo delay=0 search=tea', 'search', off)).ledger).toEqual(kept)
  })

  test('at most once, also for racing calls, and not after the ending', async () => {
    const turn = await givenTurn('/demo delay=0 chunks=1')
    const charge = () => chargeSearch(bindings, { ...turn, searchLimit: 5, nowMs: 2 })
    expect(await Promise.all([charge(), charge(), charge()])).toEqual(['charged', 'charged', 'charged'])
    await generationOf(turn).start(turn)
    await untilEnded(turn)
    expect(await charge()).toBe('charged')
    expect(await counts(turn.userId, turn.generationId)).toEqual({ usage: 0, ledger: givenBack('settle') })
    const other = await givenTurn('/demo delay=0 chunks=1')
    await generationOf(other).start(other)
    await untilEnded(other)
    expect(await chargeSearch(bindings, { ...other, searchLimit: 5, nowMs: 2 })).toBe('ended')
    expect(await counts(other.userId, other.generationId)).toEqual({ usage: 0, ledger: ['reserve 0', 'settle 0'] })
  })

  test('on the newer day after midnight, and given back on that day', async () => {
    const turn = await givenTurn('/demo delay=0 search=fail')
    await content
      .prepare(
        "insert into creditLedger (id, userId, generationId, kind, credits, day, createdAt) values (?, ?, 'next', 'reserve', 0, 20001, 1)",
      )
      .bind(`next-${turn.userId}`, turn.userId)
      .run()
    await generationOf(turn).start(turn)
    await untilEnded(turn)
    const days = await content
      .prepare("select group_concat(day) days from creditLedger where id in (?1 || ':search', ?1 || ':search:release')")
      .bind(turn.generationId)
      .first('days')
    expect(days).toBe('20001,20001')
    expect(await counts(turn.userId, turn.generationId)).toEqual({ usage: 0, ledger: givenBack('settle') })
  })

  test('and refused above the limit of the day: the model answers without the web', async () => {
    const turn = await givenTurn('/demo delay=0 search=tea')
    await content
      .prepare(
        "insert into creditLedger (id, userId, generationId, kind, credits, search, day, createdAt) values (?, ?, 'x', 'reserve', 0, ?, 20000, 1)",
      )
      .bind(`spent-${turn.userId}`, turn.userId, searchesPerDay.free)
      .run()
    await generationOf(turn).start(turn)
    await untilEnded(turn)
    const { answer } = await recordOf(turn)
    expect(answer?.metadata.ending).toBe('completed')
    expect(answer?.parts.filter(isToolPart)).toMatchObject([
      { state: 'output-error', errorCode: 'searches_of_day', errorText: 'No search is left today.' },
    ])
    expect(await counts(turn.userId, turn.generationId)).toEqual({ usage: searchesPerDay.free, ledger: ['reserve 0', 'settle 0'] })
  })
})

describe('[G20] a charged search is not lost and not kept twice', () => {
  test('when the object dies before a search is charged', async () => {
    const turn = await givenTurn('/demo delay=60000 search=tea')
    await generationOf(turn).start(turn)
    await kill(turn)
    await fireAlarm(turn)
    await untilEnded(turn)
    await fireAlarm(turn)
    expect(await counts(turn.userId, turn.generationId)).toEqual({ usage: 0, ledger: ['reserve 0', 'release 0'] })
  })

  test('when the object dies after the charge and before the search', async () => {
    const turn = await givenTurn('/demo delay=60000 search=tea')
    await generationOf(turn).start(turn)
    expect(await chargeSearch(bindings, { ...turn, searchLimit: 5, nowMs: 2 })).toBe('charged')
    await kill(turn)
    await fireAlarm(turn)
    await untilEnded(turn)
    await fireAlarm(turn)
    expect(await counts(turn.userId, turn.generationId)).toEqual({ usage: 0, ledger: givenBack('release') })
  })

  test.each<[BatchFault, readonly string[]]>([
    ['lost', ['reserve 0', 'settle 0']],
    ['response-lost', givenBack('settle')],
  ])('when the response of D1 is %s: the search is not made', async (fault, ledger) => {
    const turn = await givenTurn('/demo delay=0 search=tea')
    await inside(turn, (generation) => {
      generation.faults.push(fault)
      return generation.start(turn)
    })
    await untilEnded(turn)
    const { answer } = await recordOf(turn)
    expect(answer?.parts.filter(isToolPart)).toMatchObject([{ state: 'output-error' }])
    expect(await counts(turn.userId, turn.generationId)).toEqual({ usage: 0, ledger })
  })

  test('when the turn ends while D1 takes its time with the charge', async () => {
    const turn = await givenTurn('/demo delay=0 search=tea')
    await inside(turn, (generation) => {
      generation.faults.push('held')
      return generation.start(turn)
    })
    await inside(turn, ({ held }) =>
      until(
        () => held.length,
        (count) => count === 1,
        'the charge is held',
      ),
    )
    await generationOf(turn).stop(turn.generationId, turn.userId)
    await untilEnded(turn)
    await inside(turn, ({ held }) => held[0]?.release())
    expect(await counts(turn.userId, turn.generationId)).toEqual({ usage: 0, ledger: ['reserve 0', 'settle 0'] })
  })
})

test('[G20] a search is given back when the answer is interrupted before its first word', async () => {
  const turn = await givenTurn('/demo delay=2000 search=the moon', { mode: 'search' })
  await generationOf(turn).start(turn)
  await readEvents(await openStream(turn), (events) =>
    events.some((event) => event.type === 'chunk' && event.chunk.type === 'tool-output-available'),
  )
  await kill(turn)
  await fireAlarm(turn)
  await untilEnded(turn)
  const { answer } = await recordOf(turn)
  expect(answer?.parts.filter(isToolPart)).toMatchObject([{ type: 'tool-search', state: 'output-available' }])
  expect(textIn(answer?.parts ?? [])).toBe('')
  expect(await counts(turn.userId, turn.generationId)).toEqual({ usage: 0, ledger: givenBack('release') })
})

test('[G20] a search stays counted when the answer is stopped before its first word', async () => {
  const turn = await givenTurn('/demo delay=40 search=the moon', { mode: 'search' })
  await generationOf(turn).start(turn)
  await readEvents(await openStream(turn), (events) =>
    events.some((event) => event.type === 'chunk' && event.chunk.type === 'tool-output-available'),
  )
  await generationOf(turn).stop(turn.generationId, turn.userId)
  await untilEnded(turn)
  expect(await counts(turn.userId, turn.generationId)).toEqual({ usage: 1, ledger: kept })
})

test('a reader sees the query before the results, and the stored answer equals the stream', async () => {
  const turn = await givenTurn('/demo delay=1 search=time zones', { mode: 'search' })
  const response = openStream(turn)
  await generationOf(turn).start(turn)
  const chunks = (await readEvents(await response)).flatMap((event) => (event.type === 'chunk' ? [event.chunk] : []))
  const place = (type: string) => chunks.findIndex((chunk) => chunk.type === type)
  expect(place('tool-input-available')).toBeGreaterThan(-1)
  expect(place('tool-output-available')).toBeGreaterThan(place('tool-input-available'))
  expect(chunks[place('tool-input-available')]).toMatchObject({ toolName: 'search', input: { query: 'time zones' } })
})
