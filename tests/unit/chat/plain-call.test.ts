// A call without tools, straight from the vendor: what is asked, and what each kind of part becomes.
import { expect, test } from 'vitest'
import { ModelStreamError } from '../../../worker/chat/model-errors.ts'
import type { VendorPart } from '../../../worker/chat/models/vendor-model.ts'
import { callPlainly, plainPrompt } from '../../../worker/chat/plain-call.ts'
import { streamingModel, usage } from '../../support/scripted-model.ts'

const model = (parts: readonly VendorPart[]) => streamingModel(() => parts)

async function call(parts: readonly VendorPart[], signal = new AbortController().signal) {
  const said: unknown[] = []
  const finish = await callPlainly(
    model(parts),
    { prompt: [], abortSignal: signal },
    {
      began: () => said.push('began'),
      heard: () => undefined,
      prose: (part) => said.push(part.type),
      source: ({ id }) => said.push(id),
      file: async ({ data }) => void said.push(data.type),
    },
  )
  return { said, finish }
}

test('the conversation is asked as it is, the instructions first', () => {
  const prompt = plainPrompt('Be brief.', [
    { role: 'user', content: 'One?' },
    { role: 'assistant', content: 'Two.' },
  ])
  expect(prompt).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'One?' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Two.' }] },
  ])
})

test('a conversation with more than words in it is left to the SDK', () => {
  expect(plainPrompt('', [{ role: 'user', content: [{ type: 'text', text: 'Look' }] }])).toBeNull()
})

test('words, sources and files are passed on, bookkeeping is not, and the end says how', async () => {
  const { said, finish } = await call([
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Hi' },
    { type: 'text-end', id: 't' },
    { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQL/' } },
    { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.com/a.png') } },
    { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'end_turn' } },
  ])
  expect(said).toEqual(['began', 'text-start', 'text-delta', 'text-end', 's', 'data', 'url'])
  expect(finish).toEqual({ reason: 'stop', raw: 'end_turn' })
})

test('a stream that says nothing of an end has none, and one that was broken off is read no further', async () => {
  expect((await call([{ type: 'text-start', id: 't' }])).finish).toBeNull()
  expect(await call([{ type: 'text-start', id: 't' }], AbortSignal.abort())).toEqual({ said: ['began'], finish: null })
})

test('an error in the stream is thrown as what it says', async () => {
  const error = { error: { message: 'out of luck', statusCode: 529 } }
  const thrown = await call([{ type: 'error', error }]).catch((caught: unknown) => caught)
  expect(thrown).toBeInstanceOf(ModelStreamError)
  expect(thrown).toMatchObject({ message: 'out of luck', statusCode: 529 })
})
