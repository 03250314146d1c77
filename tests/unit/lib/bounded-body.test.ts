// What others send is read as far as it may go and no further, whatever its length was said to be.
import { expect, test } from 'vitest'
import { boundedJson, checkedBody, countTo, EndlessBodyError, firstBytes } from '../../../worker/lib/bounded-body.ts'

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

test('JSON within its bounds is read, and what is longer is an error after the bytes it may have', async () => {
  expect(await boundedJson(Response.json({ a: 'ü' }), 10)).toEqual({ a: 'ü' })
  await expect(boundedJson(Response.json({ a: 'ü' }), 9)).rejects.toBeInstanceOf(EndlessBodyError)
  await expect(boundedJson(new Response(null), 9)).rejects.toBeInstanceOf(SyntaxError)
  const source = endless(' '.repeat(100))
  await expect(boundedJson(new Response(source.body), 1000)).rejects.toBeInstanceOf(EndlessBodyError)
  await source.left
  expect(source.pulled()).toBeLessThanOrEqual(1200)
})

test('a checked body asks for no more than is read of it, and leaves with its reader', async () => {
  const source = endless('ab')
  const reader = checkedBody(source.body, countTo(100)).getReader()
  expect((await reader.read()).value).toEqual(new Uint8Array([97, 98]))
  expect(source.pulled()).toBe(2)
  await reader.cancel()
  await source.left
})

test('an error of the sender stays that error', async () => {
  const lost = new Error('Network connection lost.')
  const body = checkedBody(new ReadableStream({ start: (controller) => controller.error(lost) }), countTo(100))
  await expect(new Response(body).text()).rejects.toBe(lost)
})

test('a beginning is as long as it may be, and the rest is not asked for', async () => {
  const source = endless('abc')
  expect(await new Response(source.body.pipeThrough(firstBytes(7))).text()).toBe('abcabca')
  await source.left
})
