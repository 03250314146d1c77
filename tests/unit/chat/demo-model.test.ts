import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { runModel } from '../../../worker/chat/model/call.ts'
import { modelMessages } from '../../../worker/chat/model/prompt.ts'
import { foundForModel } from '../../../worker/chat/tools/turn-web.ts'
import { ChunkWriter } from '../../../worker/chat/turn/chunk-writer.ts'
import { askForTitle } from '../../../worker/chat/turn/title.ts'
import { applyChunk } from '../../../worker/contract/threads/message-stream.ts'
import { type ChatMessage, type MessagePart, textOf } from '../../../worker/contract/threads/messages.ts'
import { demoModel } from '../../../worker/dev/demo-model.ts'
import { demoAnswer, parseDemoDirective } from '../../../worker/dev/demo-script.ts'

const question = (text: string): ChatMessage => ({ id: 'q', role: 'user', parts: [{ type: 'text', text }] })

async function ask(text: string, continued?: readonly MessagePart[], before: readonly ChatMessage[] = []) {
  let parts: readonly MessagePart[] = []
  const writer = new ChunkWriter((chunk) => {
    parts = applyChunk(parts, chunk)
  }, Date.now)
  const messages = modelMessages([...before, question(text)], continued)
  const outcome = await runModel(
    { model: demoModel('Kimi K2'), instructions: '', messages, tools: null },
    { writer, signal: new AbortController().signal, nowMs: Date.now },
  )
  writer.finishStep()
  return { outcome, parts }
}

test.each([
  ['What is the capital of France?', 'Capital of France'],
  ['Please write a haiku about autumn in the old town of Lucca', 'Haiku about autumn in the old'],
  ['What is the capital of France and how did it grow?', 'Capital of France'],
  ['What is a closure (in JavaScript)?', 'Closure (in JavaScript)'],
  ['Compare SQLite and PostgreSQL', 'SQLite and PostgreSQL'],
  ['Erkläre mir die Gezeiten', 'Gezeiten'],
  ['Was ist der Unterschied zwischen Ebbe und Flut ?', 'Unterschied zwischen Ebbe und Flut'],
  ['Why?', null],
  ['Tell me', null],
  ['...', null],
  ['/demo chunks=3', null],
  ['/demo chunks=3 delay=0 about the tides', 'Tides'],
  ['/demo delay=0 search=how bread rises', 'Bread rises'],
  ['/demo say=**Tides** come and go', 'Tides come and go'],
])('titles "%s" by its subject', async (asked, title) => {
  expect(await askForTitle(demoModel('Kimi K2'), asked, new AbortController().signal)).toBe(title)
})

describe('the demo model', () => {
  test('states that it is a demo, replies to the text, and shows every Markdown construct', () => {
    const answer = demoAnswer('How tall is\nthe Eiffel tower?', '', 'Kimi K2')
    expect(answer).toContain('no model provider is connected')
    expect(answer).toContain('> How tall is\n> the Eiffel tower?')
    expect(answer).toContain('**Kimi K2**')
    for (const shape of [/^## /m, /^- /m, /^ {2}1\. /m, /^\| :--/m, /^```ts$/m, /^> /m, /~~/]) expect(answer).toMatch(shape)
  })

  test('lists commands that work as described', () => {
    const answer = demoAnswer('anything', '', 'Kimi K2')
    const line = answer.split('\n').find((each) => each.includes('how failures look')) ?? ''
    const [failures = '', others = ''] = line.split(';')
    const ordersIn = (text: string) => Array.from(text.matchAll(/`(\/demo[^`]*)`/g), ([, order = '']) => parseDemoDirective(order))
    expect(ordersIn(failures)).toMatchObject([{ fail: 'midway' }, { fail: 'start' }])
    expect(ordersIn(others)).toMatchObject([{ fail: null, chunks: 400, delayMs: 5 }])
  })

  test('reasons before it answers', async () => {
    const { outcome, parts } = await ask('/demo chunks=3 think=2 delay=0')
    expect(outcome).toEqual({ ending: 'completed' })
    expect(parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'thought1 thought2 ' },
      { type: 'text', text: 'word1 word2 word3 ' },
    ])
  })

  test('fails, stalls or stays silent on request', async () => {
    expect(await ask('/demo fail=start')).toMatchObject({ outcome: { ending: 'failed', failure: { code: 'model_error' } }, parts: [] })
    const { outcome, parts } = await ask('/demo chunks=4 delay=0 fail')
    expect(outcome.ending).toBe('failed')
    expect(textOf({ parts })).toBe('word1 word2 ')
    expect((await ask('/demo empty')).outcome).toMatchObject({ failure: { code: 'model_empty' } })
  })

  test('returns a requested text', async () => {
    const { parts } = await ask('/demo delay=0 say=Let $x$ be\n\n- one')
    expect(textOf({ parts })).toBe('Let $x$ be\n\n- one')
  })

  test('continues an interrupted search with its findings, without another search', async () => {
    const page = { number: 1, title: 'Tides', url: 'https://example.com/tides', site: 'example.com' }
    const searched: MessagePart = {
      type: 'tool-search',
      toolCallId: 'call-1',
      state: 'output-available',
      input: { query: 'tides' },
      output: { results: [{ ...page, snippet: 'The moon pulls.' }] },
    }
    const found = foundForModel('mark', [searched])
    const answers = await Promise.all(
      [[searched], [searched, { type: 'text', text: '## This is the built-in demo' } as const]].map(async (continued) => {
        const prompt = modelMessages([question('Why tides?')], continued, undefined, { materials: [found] })
        const written: string[] = []
        const writer = new ChunkWriter((chunk) => chunk.type === 'text-delta' && written.push(chunk.delta), Date.now)
        const call = {
          model: demoModel('Kimi K2'),
          instructions: '',
          messages: prompt,
          tools: { read_page: tool({ inputSchema: z.object({}), execute: () => null }) },
        }
        expect(await runModel(call, { writer, signal: new AbortController().signal, nowMs: Date.now })).toEqual({
          ending: 'completed',
        })
        return written.join('')
      }),
    )
    expect(answers[1]).toMatch(/^, with tools/)
    expect(answers[1]).toContain('**Tides**: The moon pulls. [1]')
  })

  test.each([
    ['call=echo {"text": "Ahoi"}', 'The tool returned:\n\n> Said: Ahoi'],
    ['call=sea_wind', 'The tool returned:\n\n> North'],
    ['call=rain', 'There is no tool rain. The tools are: sea_echo, sea_wind.'],
  ])('%s calls a tool by its name or the end of it', async (order, said) => {
    const tools = {
      sea_echo: tool({ inputSchema: z.object({ text: z.string() }), execute: ({ text }) => `Said: ${text}` }),
      sea_wind: tool({ inputSchema: z.object({}), execute: () => 'North' }),
    }
    const written: string[] = []
    const writer = new ChunkWriter((chunk) => chunk.type === 'text-delta' && written.push(chunk.delta), Date.now)
    const call = { model: demoModel('Kimi K2'), instructions: '', messages: modelMessages([question(`/demo delay=0 ${order}`)]), tools }
    await runModel(call, { writer, signal: new AbortController().signal, nowMs: Date.now })
    expect(written.join('')).toBe(said)
  })

  test('adds no text after its picture', async () => {
    const before = [{ type: 'text', text: 'word1 ' } as const, { type: 'file', mediaType: 'image/png', url: '/api/files/a' } as const]
    const { outcome, parts } = await ask('/demo chunks=1 draw=100 delay=0', before)
    expect([outcome, parts]).toMatchObject([{ ending: 'completed' }, [{ type: 'step-start' }, { type: 'text', text: 'That is all.' }]])
  })

  test('continues an answer where it was cut', async () => {
    const { parts } = await ask('/demo chunks=5 delay=0 fail', [{ type: 'text', text: 'word1 word2 wo' }])
    expect(textOf({ parts })).toBe('rd3 word4 word5 ')
  })

  test('answers a new question after an interrupted answer instead of continuing it', async () => {
    const cut: ChatMessage = {
      id: 'a',
      role: 'assistant',
      parts: [{ type: 'text', text: 'word1 word2 ' }],
      metadata: { modelId: 'm', modelName: 'M', modelIcon: 'm', ending: 'stopped', credits: 1 },
    }
    const { parts } = await ask('/demo chunks=1 delay=0', undefined, [question('/demo chunks=5 delay=0'), cut])
    expect(textOf({ parts })).toBe('word1 ')
  })
})

describe('parseDemoDirective', () => {
  const plain = {
    chunks: 120,
    delayMs: 22,
    chars: 0,
    think: 0,
    fail: null,
    silent: null,
    files: false,
    draw: null,
    search: null,
    read: null,
    notes: [],
    heldMs: 0,
    call: null,
    say: null,
  }
  const cases: [string, object | null][] = [
    ['a question about /demo', null],
    ['/demonstrate', null],
    ['/demo', plain],
    ['  /demo chunks=7 delay=0 ', { ...plain, chunks: 7, delayMs: 0 }],
    ['/demo fail silent=start think=3', { ...plain, think: 3, fail: 'midway', silent: 'start' }],
    ['/demo empty chars=9', { ...plain, chunks: 0, chars: 9 }],
    ['/demo chunks=-1 delay=x nonsense', plain],
    ['/demo delay=0 say=Two\nlines fail', { ...plain, delayMs: 0, say: 'Two\nlines fail' }],
    ['/demo draw', { ...plain, draw: 0 }],
    ['/demo draw=5000', { ...plain, draw: 5000 }],
    ['/demo chunks=999999999', { ...plain, chunks: 200_000 }],
  ]
  test.each(cases)('%j', (text, directive) => expect(parseDemoDirective(text)).toEqual(directive))
})
