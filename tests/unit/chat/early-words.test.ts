import { jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { expect, test, vi } from 'vitest'
import { ChunkWriter } from '../../../worker/chat/chunk-writer.ts'
import { withEarlyWords } from '../../../worker/chat/models/early-words.ts'
import type { CallOptions, VendorPart } from '../../../worker/chat/models/vendor-model.ts'
import { applyChunk } from '../../../worker/contract/message-stream.ts'
import type { MessagePart } from '../../../worker/contract/messages.ts'
import { finish, said, streamingModel } from '../../support/scripted-model.ts'

/** Says one list of parts per call, and remembers what it was told. */
function scripted(calls: readonly (readonly VendorPart[])[]) {
  const told: CallOptions['prompt'][] = []
  const model = streamingModel(({ prompt }) => calls[told.push(prompt) - 1] ?? [])
  return { model, told }
}

const neverMade = () => Promise.reject(new Error('no file was made'))

test('words arrive before the SDK is done with them, tools in their place, and the next step knows everything that was said', async () => {
  const { model, told } = scripted([
    [
      { type: 'stream-start', warnings: [] },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'hm' },
      { type: 'reasoning-end', id: 'r' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'I ' },
      { type: 'text-delta', id: 't', delta: 'look.' },
      { type: 'text-end', id: 't' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{"at":"sky"}' },
      finish('tool-calls'),
    ],
    [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'It is blue.' },
      { type: 'text-end', id: 't' },
      finish('stop'),
    ],
  ])
  let parts: readonly MessagePart[] = []
  let heard = 0
  const writer = new ChunkWriter((chunk) => {
    parts = applyChunk(parts, chunk)
  }, Date.now)
  const result = streamText({
    model: withEarlyWords(model, {
      began: () => writer.beginStep(),
      heard: () => heard++,
      prose: (part) => writer.prose(part),
      file: neverMade,
    }),
    prompt: 'What colour is the sky?',
    tools: {
      look: tool({
        inputSchema: jsonSchema<{ at: string }>({ type: 'object', properties: { at: { type: 'string' } }, required: ['at'] }),
        execute: async ({ at }) => `the ${at} is blue`,
      }),
    },
    stopWhen: stepCountIs(3),
  })
  for await (const part of result.stream) writer.write(part)
  writer.finishStep()

  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'reasoning', text: 'hm', state: 'done' },
    { type: 'text', text: 'I look.', state: 'done' },
    { type: 'tool-look', state: 'output-available', input: { at: 'sky' }, output: 'the sky is blue' },
    { type: 'step-start' },
    { type: 'text', text: 'It is blue.', state: 'done' },
  ])
  expect(heard).toBe(15)
  expect(await result.text).toBe('It is blue.')
  expect(told[1]?.[1]).toMatchObject({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', toolName: 'look', input: { at: 'sky' } },
    ],
  })
})

test('what a vendor signs its words with in their midst comes back to it with the next step', async () => {
  const signed = (signature: string) => ({ anthropic: { signature } })
  const { model, told } = scripted([
    [
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'hm' },
      // As Anthropic's package says it: behind the thoughts, in a piece without a word.
      { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: signed('of the thoughts') },
      { type: 'reasoning-end', id: 'r' },
      // Thoughts that are not told are signed all the same.
      { type: 'reasoning-start', id: 'untold' },
      { type: 'reasoning-delta', id: 'untold', delta: '', providerMetadata: signed('of no word') },
      { type: 'reasoning-end', id: 'untold' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'I ', providerMetadata: signed('of the words') },
      { type: 'text-delta', id: 't', delta: 'look.' },
      { type: 'text-end', id: 't' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' },
      finish('tool-calls'),
    ],
    [finish('stop')],
  ])
  const ignore = { began: () => undefined, heard: () => undefined, prose: () => undefined, file: neverMade }
  const tools = { look: tool({ inputSchema: jsonSchema<object>({ type: 'object' }), execute: async () => 'blue' }) }
  const result = streamText({ model: withEarlyWords(model, ignore), prompt: 'Look.', tools, stopWhen: stepCountIs(2) })
  for await (const _part of result.stream);
  expect(told[1]?.[1]).toMatchObject({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hm', providerOptions: signed('of the thoughts') },
      { type: 'reasoning', text: '', providerOptions: signed('of no word') },
      { type: 'text', text: 'I look.', providerOptions: signed('of the words') },
      { type: 'tool-call', toolName: 'look' },
    ],
  })
})

test('a file is kept before anything after it is read, and the SDK holds none of it', async () => {
  const kept = Promise.withResolvers<void>()
  const picture: VendorPart = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } }
  const model = streamingModel(() => [picture, ...said('A sea.'), finish('stop')])
  const heard: string[] = []
  const listener = {
    began: () => undefined,
    heard: () => undefined,
    prose: ({ type }: { readonly type: string }) => void heard.push(type),
    file: ({ mediaType }: { readonly mediaType: string }) => {
      heard.push(mediaType)
      return kept.promise
    },
  }
  const result = streamText({ model: withEarlyWords(model, listener), prompt: 'Draw.' })
  const read = (async () => {
    const types: string[] = []
    for await (const { type } of result.stream) types.push(type)
    return types
  })()
  await vi.waitFor(() => expect(heard).toEqual(['image/png']), { timeout: 45_000 })
  kept.resolve()
  expect(await read).not.toContain('file')
  expect(heard).toEqual(['image/png', 'text-start', 'text-delta', 'text-end'])
})
