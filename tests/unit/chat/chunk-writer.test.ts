import type { TextStreamPart, ToolSet } from 'ai'
import { describe, expect, test } from 'vitest'
import { retypedMetadata } from '../../../worker/chat/model/thoughts.ts'
import { ToolFailure } from '../../../worker/chat/tools/tool-failure.ts'
import { ChunkWriter } from '../../../worker/chat/turn/chunk-writer.ts'
import { applyChunk, type StreamChunk } from '../../../worker/contract/threads/message-stream.ts'
import type { MessagePart } from '../../../worker/contract/threads/messages.ts'

type Part = TextStreamPart<ToolSet>

const step = { type: 'start-step' }

function setup() {
  const chunks: StreamChunk[] = []
  let now = 0
  const writer = new ChunkWriter(
    (chunk) => chunks.push(chunk),
    () => now,
  )
  return {
    writer,
    chunks,
    write: (...parts: readonly object[]) => {
      for (const part of parts) writer.write(part as Part)
    },
    wait: (ms: number) => {
      now += ms
    },
    parts: () => chunks.reduce<readonly MessagePart[]>(applyChunk, []),
  }
}

describe('the chunk writer', () => {
  test('measures reasoning, drops the SDK’s bookkeeping parts and empty deltas', () => {
    const { write, wait, chunks } = setup()
    write({ type: 'start' }, step, { type: 'reasoning-start', id: 'a' })
    wait(40)
    write(
      { type: 'reasoning-delta', id: 'a', text: 'hm' },
      { type: 'reasoning-delta', id: 'a', text: '' },
      { type: 'reasoning-end', id: 'a' },
      { type: 'raw', rawValue: 1 },
      { type: 'ping' },
    )
    expect(chunks).toEqual([
      { type: 'start-step' },
      { type: 'reasoning-start', id: '1' },
      { type: 'reasoning-delta', id: '1', delta: 'hm' },
      { type: 'reasoning-end', id: '1', durationMs: 40 },
    ])
  })

  test('an end may change the type of its block, but not of a text of an earlier answer', () => {
    const retyped = (retyped: object) => ({ providerMetadata: { [retypedMetadata]: retyped } })
    const ended = [
      { type: 'text-start', id: 'a' },
      { type: 'text-delta', id: 'a', text: 'hm' },
      { type: 'text-end', id: 'a', ...retyped({ wasReasoning: true }) },
    ]
    const { write, writer, wait, chunks } = setup()
    write(step, ...ended.slice(0, 2))
    wait(40)
    write(...ended.slice(2), { type: 'reasoning-start', id: 'b' }, { type: 'reasoning-delta', id: 'b', text: 'Yes' })
    expect(chunks).toContainEqual({ type: 'text-end', id: '1', reasoningMs: 40 })
    write({ type: 'reasoning-end', id: 'b', ...retyped({ wasText: '<think>' }) })
    expect(chunks.at(-1)).toEqual({ type: 'reasoning-end', id: '2', durationMs: 0, textStart: '<think>' })
    expect(writer.hasContent).toBe(true)
    const continued = setup()
    continued.writer.repeat([{ type: 'text', text: 'Once', state: 'done' }])
    continued.write(step, ...ended)
    expect(continued.chunks.at(-1)).toEqual({ type: 'text-end', id: '1' })
  })

  test('drops a tool input nested deeper than the database can read', () => {
    const { write, parts } = setup()
    const within = (levels: number): unknown => (levels === 0 ? 'x' : [within(levels - 1)])
    const call = (toolCallId: string, input: unknown) => ({ type: 'tool-call', toolCallId, toolName: 'search', input })
    write(step, call('a', within(100)), call('b', within(101)), call('c', JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)))
    expect(parts().slice(1)).toMatchObject([{ input: within(100) }, { input: null }, { input: null }])
  })

  test('closes open parts when the answer ends early', () => {
    const { writer, write, wait, chunks } = setup()
    write(step, { type: 'reasoning-start', id: 'a' })
    wait(5)
    writer.finishStep()
    writer.finishStep()
    expect(chunks.slice(-2)).toEqual([{ type: 'reasoning-end', id: '1', durationMs: 5 }, { type: 'finish-step' }])
  })

  test('leaves no parts of a call that failed before its first output', () => {
    const { writer, write, chunks } = setup()
    write({ type: 'start' }, step, { type: 'start' }, step)
    writer.finishStep()
    expect(chunks).toEqual([])
  })

  test('separates interleaved blocks without losing text', () => {
    const { write, parts } = setup()
    write(
      step,
      { type: 'text-start', id: 'a' },
      { type: 'text-delta', id: 'a', text: 'a1' },
      { type: 'text-delta', id: 'b', text: 'b1' },
      { type: 'text-delta', id: 'a', text: 'a2' },
      { type: 'text-end', id: 'b' },
    )
    expect(parts()).toMatchObject([
      { type: 'step-start' },
      { text: 'a1', state: 'done' },
      { text: 'b1', state: 'done' },
      { text: 'a2', state: 'streaming' },
    ])
  })

  test('distinguishes text from reasoning', () => {
    const { writer, write } = setup()
    write(step, { type: 'reasoning-delta', id: 'a', text: 'hm' }, { type: 'text-delta', id: 'b', text: ' ' })
    expect(writer.hasContent).toBe(false)
    write({ type: 'text-delta', id: 'b', text: 'x' })
    expect(writer.hasContent).toBe(true)
  })

  test('forwards tools and sources', () => {
    const { write, parts } = setup()
    write(
      step,
      { type: 'tool-input-start', id: 'c', toolName: 'search' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'search', input: { q: 1 } },
      { type: 'tool-result', toolCallId: 'c', toolName: 'search', output: { shown: undefined } },
      { type: 'tool-call', toolCallId: 'd', toolName: 'search', input: {} },
      { type: 'tool-error', toolCallId: 'd', toolName: 'search', error: new ToolFailure('search_busy', 'no') },
      { type: 'tool-call', toolCallId: 'e', toolName: 'search', input: {} },
      { type: 'tool-error', toolCallId: 'e', toolName: 'search', error: new Error('key-4711 is wrong') },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.test' },
      { type: 'source', sourceType: 'document', id: 't', mediaType: 'x', title: 'T' },
    )
    expect(parts()).toEqual([
      { type: 'step-start' },
      { type: 'tool-search', toolCallId: 'c', state: 'output-available', input: { q: 1 }, output: null },
      { type: 'tool-search', toolCallId: 'd', state: 'output-error', input: {}, errorCode: 'search_busy', errorText: 'no' },
      // The message of an unexpected error is not shown: it may contain keys.
      {
        type: 'tool-search',
        toolCallId: 'e',
        state: 'output-error',
        input: {},
        errorCode: 'unexpected',
        errorText: 'The tool could not be used this way.',
      },
      { type: 'source-url', sourceId: 's', url: 'https://a.test' },
    ])
  })

  const png = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } } as const
  const through = async (writer: ChunkWriter, made: Parameters<ChunkWriter['deferFile']>[0], signal = new AbortController().signal) => {
    const deferred = writer.deferFile(made)
    if (deferred.type === 'file') await writer.file(deferred.providerMetadata, signal)
  }

  test('writes a file into the answer without a file store; an empty file is dropped', async () => {
    const { writer, write, parts } = setup()
    write(step)
    await through(writer, { ...png, data: { type: 'data', data: '' } })
    expect(writer.hasContent).toBe(false)
    await through(writer, png)
    expect(parts()).toEqual([{ type: 'step-start' }, { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' }])
    expect(writer.hasContent).toBe(true)
  })

  test('numbers files across a continued answer, and drops one that was stored too late', async () => {
    const numbers: number[] = []
    const part = (url: string) => ({ type: 'file', mediaType: 'image/png', url, filename: 'Picture 1.png', sizeBytes: 1 }) as const
    const emitted: StreamChunk[] = []
    const writer = new ChunkWriter(
      (chunk) => emitted.push(chunk),
      () => 0,
      async (_made, number) => part(`/api/files/${numbers.push(number)}`),
    )
    expect(writer.repeat([part('/api/files/before')])).toEqual([part('/api/files/before')])
    await through(writer, png)
    await through(writer, png, AbortSignal.abort())
    expect(numbers).toEqual([2, 3])
    expect(emitted).toEqual([part('/api/files/1')])
  })
})

test('replaying an answer restores its parts, and its last text continues', () => {
  const before: readonly MessagePart[] = [
    { type: 'step-start' },
    { type: 'reasoning', text: 'hm', state: 'done', durationMs: 9 },
    { type: 'tool-search', toolCallId: 'c', state: 'output-available', input: { q: 1 }, output: [2] },
    { type: 'tool-search', toolCallId: 'd', state: 'output-error', input: {}, errorCode: 'search_busy', errorText: 'no' },
    { type: 'source-url', sourceId: 's', url: 'https://a.test' },
    { type: 'text', text: 'The end of the sen', state: 'done' },
  ]
  const { writer, write, parts, chunks } = setup()
  chunks.push(...writer.repeat(before))
  expect(parts()).toEqual([...before.slice(0, -1), { type: 'text', text: 'The end of the sen', state: 'streaming' }])
  write(
    step,
    { type: 'reasoning-delta', id: 'r', text: 'again' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', text: 'tence.' },
    { type: 'text-end', id: 't' },
  )
  writer.finishStep()
  expect(parts().find((part) => part.type === 'text')).toEqual({ type: 'text', text: 'The end of the sentence.', state: 'done' })
})
