// A turn in Search mode in the real object on the real D1: its content, and its use of the daily searches.

import { afterEach, describe, expect, test, vi } from 'vitest'
import { isToolPart } from '../../worker/contract/models/tools.ts'
import { sourcesOf } from '../../worker/contract/threads/sources.ts'
import { content } from './bindings.ts'
import { calling, saying, stubProvider } from './provider.ts'
import { fireAlarm, generationOf, givenTurn, inside, kill, openStream, readEvents, recordOf, textIn, untilEnded } from './turns.ts'

afterEach(() => vi.unstubAllGlobals())

const counts = async (userId: string, generationId: string) => ({
  usage: await content.prepare('select search from usage where userId = ?').bind(userId).first('search'),
  ledger: (
    await content.prepare('select kind, search from creditLedger where generationId = ? order by createdAt').bind(generationId).all()
  ).results.map(({ kind, search }) => `${kind} ${search}`),
})

async function answered(text: string) {
  const turn = await givenTurn(text, { mode: 'search' })
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
  expect({ usage, ledger }).toEqual({ usage: 1, ledger: ['reserve 1', 'settle 0'] })
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

describe('the search is released', () => {
  test.each<[string, string, string]>([
    ['when it failed, though the answer is charged', '/demo delay=0 search=fail', 'settle -1'],
    ['when none was made', '/demo delay=0 read=https://library.parley.example/tea', 'settle -1'],
    ['with the credits when nothing came at all', '/demo fail=start', 'release -1'],
  ])('%s', async (_name, text, ending) => {
    const { usage, ledger } = await answered(text)
    expect({ usage, ledger }).toEqual({ usage: 0, ledger: ['reserve 1', ending] })
  })

  test('once, when the object dies in between and the alarm ends the turn', async () => {
    const turn = await givenTurn('/demo delay=60000 search=tea', { mode: 'search' })
    await generationOf(turn).start(turn)
    await kill(turn)
    await fireAlarm(turn)
    await untilEnded(turn)
    await fireAlarm(turn)
    expect(await counts(turn.userId, turn.generationId)).toEqual({ usage: 0, ledger: ['reserve 1', 'release -1'] })
  })
})

test('a search is released when the answer is interrupted before its first word', async () => {
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
  expect(await counts(turn.userId, turn.generationId)).toEqual({ usage: 0, ledger: ['reserve 1', 'release -1'] })
})

test('a search stays counted when the answer is stopped before its first word', async () => {
  const turn = await givenTurn('/demo delay=40 search=the moon', { mode: 'search' })
  await generationOf(turn).start(turn)
  await readEvents(await openStream(turn), (events) =>
    events.some((event) => event.type === 'chunk' && event.chunk.type === 'tool-output-available'),
  )
  await generationOf(turn).stop(turn.generationId, turn.userId)
  await untilEnded(turn)
  const { usage, ledger } = await counts(turn.userId, turn.generationId)
  expect(usage).toBe(1)
  expect(ledger[1]).toMatch(/ 0$/)
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
