import type { TextStreamPart, ToolSet } from 'ai'
import { describe, expect, test } from 'vitest'
import { ChunkWriter } from '../../../worker/chat/chunk-writer.ts'
import type { ProsePart } from '../../../worker/chat/models/vendor-model.ts'
import { ToolFailure } from '../../../worker/chat/tools/tool-failure.ts'
import { applyChunk, type StreamChunk } from '../../../worker/contract/message-stream.ts'
import type { MessagePart } from '../../../worker/contract/messages.ts'

type Part = TextStreamPart<ToolSet>

/** Stands for the moment at which the vendor begins to answer. */
const step = { type: 'began' }

const isProse = (type: string) => /^(text|reasoning)-/.test(type)

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
      for (const part of parts as readonly { readonly type: string }[]) {
        if (part === step) writer.beginStep()
        else if (isProse(part.type)) writer.prose(part as ProsePart)
        else writer.write(part as Part)
      }
    },
    wait: (ms: number) => {
      now += ms
    },
    parts: () => chunks.reduce<readonly MessagePart[]>(applyChunk, []),
  }
}

describe('the chunk writer', () => {
  test('times reasoning, leaves out the SDK’s bookkeeping and empty deltas', () => {
    const { write, wait, chunks } = setup()
    write({ type: 'start' }, step, { type: 'reasoning-start', id: 'a' })
    wait(40)
    write(
      { type: 'reasoning-delta', id: 'a', delta: 'hm' },
      { type: 'reasoning-delta', id: 'a', delta: '' },
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

  test('keeps no input of a tool in more levels than a database reads', () => {
    const { write, parts } = setup()
    const within = (levels: number): unknown => (levels === 0 ? 'x' : [within(levels - 1)])
    const call = (toolCallId: string, input: unknown) => ({ type: 'tool-call', toolCallId, toolName: 'search', input })
    write(step, call('a', within(100)), call('b', within(101)), call('c', JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)))
    expect(parts().slice(1)).toMatchObject([{ input: within(100) }, { input: null }, { input: null }])
  })

  test('closes what is open when somebody else ends the answer', () => {
    const { writer, write, wait, chunks } = setup()
    write(step, { type: 'reasoning-start', id: 'a' })
    wait(5)
    writer.finishStep()
    writer.finishStep()
    expect(chunks.slice(-2)).toEqual([{ type: 'reasoning-end', id: '1', durationMs: 5 }, { type: 'finish-step' }])
  })

  test('leaves no trace of a call that failed before it said anything', () => {
    const { writer, write, chunks } = setup()
    write({ type: 'start' }, step, { type: 'start' }, step)
    writer.finishStep()
    expect(chunks).toEqual([])
    expect(writer.begun).toBe(false)
  })

  test('keeps blocks apart that a vendor interleaves, and loses no word', () => {
    const { write, parts } = setup()
    write(
      step,
      { type: 'text-start', id: 'a' },
      { type: 'text-delta', id: 'a', delta: 'a1' },
      { type: 'text-delta', id: 'b', delta: 'b1' },
      { type: 'text-delta', id: 'a', delta: 'a2' },
      { type: 'text-end', id: 'b' },
    )
    expect(parts()).toMatchObject([
      { type: 'step-start' },
      { text: 'a1', state: 'done' },
      { text: 'b1', state: 'done' },
      { text: 'a2', state: 'streaming' },
    ])
  })

  test('knows words from thoughts', () => {
    const { writer, write } = setup()
    write(step, { type: 'reasoning-delta', id: 'a', delta: 'hm' }, { type: 'text-delta', id: 'b', delta: ' ' })
    expect([writer.begun, writer.said]).toEqual([true, false])
    write({ type: 'text-delta', id: 'b', delta: 'x' })
    expect(writer.said).toBe(true)
  })

  test('passes tools and sources on', () => {
    const { write, parts } = setup()
    write(
      step,
      { type: 'tool-input-start', id: 'c', toolName: 'search' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'search', input: { q: 1 } },
      { type: 'tool-result', toolCallId: 'c', toolName: 'search', output: undefined },
      { type: 'tool-call', toolCallId: 'd', toolName: 'search', input: {} },
      { type: 'tool-error', toolCallId: 'd', toolName: 'search', error: new ToolFailure('no') },
      { type: 'tool-call', toolCallId: 'e', toolName: 'search', input: {} },
      { type: 'tool-error', toolCallId: 'e', toolName: 'search', error: new Error('key-4711 is wrong') },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.test' },
      { type: 'source', sourceType: 'document', id: 't', mediaType: 'x', title: 'T' },
    )
    expect(parts()).toEqual([
      { type: 'step-start' },
      { type: 'tool-search', toolCallId: 'c', state: 'output-available', input: { q: 1 }, output: null },
      { type: 'tool-search', toolCallId: 'd', state: 'output-error', input: {}, errorText: 'no' },
      // What a surprise says is not for people: it may name keys.
      { type: 'tool-search', toolCallId: 'e', state: 'output-error', input: {}, errorText: 'The tool could not be used this way.' },
      { type: 'source-url', sourceId: 's', url: 'https://a.test' },
    ])
  })

  const png = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } }
  const goesOn = () => false

  test('keeps a file in the answer itself, where nothing else was said; one without a byte is none', async () => {
    const { writer, parts } = setup()
    writer.beginStep()
    await writer.file({ ...png, data: { type: 'data', data: '' } }, goesOn)
    expect([writer.begun, writer.said]).toEqual([false, false])
    await writer.file(png, goesOn)
    expect(parts()).toEqual([{ type: 'step-start' }, { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' }])
    expect(writer.said).toBe(true)
  })

  test('numbers files through an answer that goes on with another, and says nothing of one that came too late', async () => {
    const numbers: number[] = []
    const part = (url: string) => ({ type: 'file', mediaType: 'image/png', url, filename: 'Picture 1.png', sizeBytes: 1 }) as const
    const emitted: StreamChunk[] = []
    const writer = new ChunkWriter(
      (chunk) => emitted.push(chunk),
      () => 0,
      async (_made, number) => part(`/api/files/${numbers.push(number)}`),
    )
    expect(writer.repeat([part('/api/files/before')])).toEqual([part('/api/files/before')])
    await writer.file(png, goesOn)
    await writer.file({ ...png, data: { type: 'data', data: 'AQ==' } }, () => true)
    expect(numbers).toEqual([2, 3])
    expect(emitted).toEqual([part('/api/files/1')])
  })
})

test('a file that comes twice is one; another of the same length is another, and so is the first after it', async () => {
  const urls = async (...files: readonly object[]) => {
    const { writer, parts } = setup()
    for (const file of files) await writer.file({ type: 'file', mediaType: 'image/png', ...file }, () => false)
    return parts().flatMap((part) => ('url' in part ? [part.url.split(',').at(-1)] : []))
  }
  const inline = (data: string) => ({ data: { type: 'data', data } })
  const there = (url: string) => ({ data: { type: 'url', url } })
  expect(await urls(inline('AAAA'), inline('AAAA'), inline('AAAB'), inline('AAAB'), inline('AAAA'))).toEqual(['AAAA', 'AAAB', 'AAAA'])
  const [one, other] = ['https://files.example/1', 'https://files.example/2']
  expect(await urls(there(one), there(one), there(other))).toEqual([one, other])
  // Letters that have changed places, and lengths that are all zeros.
  const near = ['AABA', 'ABAA', 'BAAA', 'AAAAAAAA', 'AAAAAAAAAAAA']
  expect(await urls(...near.map(inline))).toEqual(near)
})

test('repeating an answer gives its parts back, and its last text goes on', () => {
  const before: readonly MessagePart[] = [
    { type: 'step-start' },
    { type: 'reasoning', text: 'hm', state: 'done', durationMs: 9 },
    { type: 'tool-search', toolCallId: 'c', state: 'output-available', input: { q: 1 }, output: [2] },
    { type: 'tool-search', toolCallId: 'd', state: 'output-error', input: {}, errorText: 'no' },
    { type: 'source-url', sourceId: 's', url: 'https://a.test' },
    { type: 'text', text: 'The end of the sen', state: 'done' },
  ]
  const { writer, write, parts, chunks } = setup()
  chunks.push(...writer.repeat(before))
  expect(parts()).toEqual([...before.slice(0, -1), { type: 'text', text: 'The end of the sen', state: 'streaming' }])
  write(
    step,
    { type: 'reasoning-delta', id: 'r', delta: 'again' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'tence.' },
    { type: 'text-end', id: 't' },
  )
  writer.finishStep()
  expect(parts().find((part) => part.type === 'text')).toEqual({ type: 'text', text: 'The end of the sentence.', state: 'done' })
})
