// Received data is read up to its limit, regardless of the declared length.
import { expect, test } from 'vitest'
import { boundedJson, checkedBody, EndlessBodyError, failAbove, truncateAt } from '../../../worker/lib/bounded-body.ts'

function endless(piece: string) {
  const bytes = new TextEncoder().encode(piece)
  let pulled = 0
  const left = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulled += bytes.length
        controller.enqueue(bytes)
      },
      cancel: () => left.resolve(),
    },
    { highWaterMark: 0 },
  )
  return { body, pulled: () => pulled, left: left.promise }
}

test('JSON within the limit is parsed, and longer data is an error after the allowed bytes', async () => {
  expect(await boundedJson(Response.json({ a: 'ü' }), 10)).toEqual({ a: 'ü' })
  await expect(boundedJson(Response.json({ a: 'ü' }), 9)).rejects.toBeInstanceOf(EndlessBodyError)
  await expect(boundedJson(new Response(null), 9)).rejects.toBeInstanceOf(SyntaxError)
  const source = endless(' '.repeat(100))
  await expect(boundedJson(new Response(source.body), 1000)).rejects.toBeInstanceOf(EndlessBodyError)
  await source.left
  expect(source.pulled()).toBeLessThanOrEqual(1200)
})

test('a checked body reads no further than its reader, and is cancelled with it', async () => {
  const source = endless('ab')
  const reader = checkedBody(source.body, failAbove(100)).getReader()
  expect((await reader.read()).value).toEqual(new Uint8Array([97, 98]))
  expect(source.pulled()).toBe(2)
  await reader.cancel()
  await source.left
})

test('an error of the sender is passed on', async () => {
  const lost = new Error('Network connection lost.')
  const body = checkedBody(new ReadableStream({ start: (controller) => controller.error(lost) }), failAbove(100))
  await expect(new Response(body).text()).rejects.toBe(lost)
})

test('a prefix has at most the limit, and the rest is not read', async () => {
  const source = endless('abc')
  expect(await new Response(source.body.pipeThrough(truncateAt(7))).text()).toBe('abcabca')
  await source.left
})
