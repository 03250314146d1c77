// Streams of a server that does not behave: their time is linear, the words before an event that cannot be read are kept, and no letter is lost.
import { describe, expect, test } from 'vitest'
import { openAIEvents, StreamedCalls } from '../../../worker/chat/model/openai-events.ts'
import { ThoughtSplitter } from '../../../worker/chat/model/thoughts.ts'
import type { ProviderPart } from '../../../worker/chat/model/types.ts'
import { toolsIn, writtenCallReader } from '../../../worker/chat/model/written-calls.ts'
import { finish } from '../../support/scripted-model.ts'
import { timesAsLong } from '../../support/times-as-long.ts'

const units = 20_000

function split(deltas: readonly string[]): string {
  let text = ''
  const splitter = new ThoughtSplitter('maker/slug', (piece) => {
    if (piece.type === 'text' || piece.type === 'reasoning') text += piece.delta
  })
  for (const delta of deltas) splitter.write(delta)
  splitter.end(true)
  return text
}

describe('thoughts in the text', () => {
  /** A mark may begin at each bracket. */
  const letters = Array.from({ length: units }, () => 'a < b ')

  test.each([
    ['\n', ''],
    ['\n', '<think>a'],
    ['\n', `${'A sentence.\n'.repeat(1000)}</think>`],
    ['<|end|>', 'a'],
    ['<|end|> \n', 'a'],
    ['</think>', 'a.'],
  ])('many %j take as long as words, piece by piece (%#)', (unit, start) => {
    const hard = [start, ...Array.from({ length: units }, () => unit)]
    expect(
      timesAsLong(
        () => split(hard),
        () => split(letters),
      ),
    ).toBeLessThan(100)
  })

  test.each(['<think></think>', '<think>x</think>', '<|end|>', '<|channel|>analysis<|message|>x'])(
    'many %j take as long as words, in one piece',
    (unit) => {
      expect(
        timesAsLong(
          () => split([unit.repeat(units)]),
          () => split(letters),
        ),
      ).toBeLessThan(100)
    },
  )

  test('more white space and marks than are held stay in the text', () => {
    const ends = '<|end|>'.repeat(1000)
    expect(split(['a', ...Array.from({ length: 1000 }, () => '<|end|>'), 'b'])).toBe(`a${ends}b`)
    expect(split([`a${' '.repeat(5000)}b`])).toBe(`a${' '.repeat(5000)}b`)
  })

  test('a long piece is not divided within a character', () => {
    const deltas: string[] = []
    const splitter = new ThoughtSplitter('maker/slug', (piece) => piece.type === 'text' && deltas.push(piece.delta))
    splitter.write(`a${'😀'.repeat(2000)}`)
    splitter.end(true)
    expect(deltas.every((delta) => delta.isWellFormed())).toBe(true)
    expect(deltas.join('')).toBe(`a${'😀'.repeat(2000)}`)
  })
})

describe('calls in the text', () => {
  const search = { type: 'function', name: 'search', inputSchema: { properties: { q: { type: 'string' } } } } as const

  function partsOf(deltas: readonly string[]): readonly ProviderPart[] {
    const parts: readonly ProviderPart[] = [
      { type: 'text-start', id: 't' },
      ...deltas.map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
      { type: 'text-end', id: 't' },
      finish('stop'),
    ]
    const read: ProviderPart[] = []
    const reader = writtenCallReader(toolsIn({ tools: [search], prompt: [] }), (part) => read.push(part))
    for (const part of parts) reader.read(part)
    reader.end()
    return read
  }

  test.each([
    `<tool_call>other${'<arg_key></arg_key><arg_value>'.repeat(2000)}`,
    `<|channel|>commentary to=${'functions.'.repeat(6000)}!`,
    `<tool_call>{"name":"search","arguments":{"q":${'['.repeat(20_000)}${']'.repeat(20_000)}}}</tool_call>`,
  ])('a long text without a call that can be read stays text, and needs no minutes (%#)', (text) => {
    const parts = partsOf([text])
    expect(parts.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : [])).join('')).toBe(text)
  })

  test('parameters are read as tags, with their line ends', () => {
    const text = '<tool_call><function=search><parameter=q>\none\ntwo\n</parameter></function></tool_call>'
    const [call] = partsOf([text]).filter(({ type }) => type === 'tool-call')
    expect(call).toMatchObject({ toolName: 'search', input: JSON.stringify({ q: 'one\ntwo' }) })
    const [other] = partsOf(['<tool_call>search<arg_key>q</arg_key>\n<arg_value>a < b</arg_value></tool_call>']).filter(
      ({ type }) => type === 'tool-call',
    )
    expect(other).toMatchObject({ input: JSON.stringify({ q: 'a < b' }) })
  })
})

describe('streamed calls', () => {
  const readAll = (pieces: readonly unknown[]) => {
    const calls = new StreamedCalls()
    for (const piece of pieces) calls.read([piece])
    return calls
  }
  const easy = Array.from({ length: 8000 }, () => ({ index: 0, id: 'a', function: { name: 'search', arguments: 'word ' } }))

  test.each([
    ['calls', (at: number) => ({ index: at, id: `call-${at}`, function: { name: 'search', arguments: '{}' } })],
    ['braces', (at: number) => ({ index: at % 2, id: `${at % 2}`, function: { name: 'search', arguments: '{"a":"}' } })],
    ['fields', (at: number) => ({ index: 0, [`field-${at}`]: 1, function: { arguments: 'x' } })],
  ])('many %s take as long as words', (_name, pieceAt) => {
    const hard = Array.from({ length: 8000 }, (_, at) => pieceAt(at))
    expect(
      timesAsLong(
        () => readAll(hard),
        () => readAll(easy),
      ),
    ).toBeLessThan(40)
  })
})

test.each([
  ['nesting beyond the stack', `{"choices":[{"delta":{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}}]}`],
  ['an object as the type of a part', '{"choices":[{"delta":{"content":[{"type":{"toString":1},"text":"x"}]}}]}'],
  ['an object as an index', '{"choices":[{"index":{"toString":1},"delta":{}},{"index":0,"delta":{}}]}'],
  ['an object as the code of an error', '{"error":{"message":"m","code":{"toString":1}}}'],
])('the words before an event with %s are kept', (_name, event) => {
  let violation: Error | null = null
  const events = ['{"choices":[{"delta":{"content":"Hello"}}]}', event].map((data) => `data: ${data}\n\n`).join('')
  const reader = openAIEvents((error) => {
    violation = error
  })
  let text = ''
  reader.read(new TextEncoder().encode(events), (bytes) => (text += new TextDecoder().decode(bytes)))
  expect(text).toContain('Hello')
  expect(violation).toMatchObject({ name: 'UnreadableModelError' })
})
