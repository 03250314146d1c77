// What a resolver says, and that none of its answers is left lying: a read has one connection at a time.
import { expect, test } from 'vitest'
import { resolverBy } from '../../../../worker/chat/tools/resolve-host.ts'
import { EndlessBodyError } from '../../../../worker/lib/bounded-body.ts'

const { signal } = new AbortController()

test('the addresses of both kinds, and nothing else that an answer holds', async () => {
  const asked: string[] = []
  const resolve = resolverBy(async (input) => {
    asked.push(new URL(String(input)).search)
    const records = [
      { type: 5, data: 'alias.org.' },
      { type: 1, data: '93.184.215.14' },
      { type: 28, data: '2606:2800:21f::1' },
    ]
    return Response.json({ Answer: records })
  })
  expect(await resolve('page.org', signal)).toEqual(['93.184.215.14', '2606:2800:21f::1'])
  expect(asked).toEqual(['?name=page.org&type=A', '?name=page.org&type=AAAA'])
})

test('an answer longer than any is not read to its end', async () => {
  const padded = `{"Answer":[]${' '.repeat(128 * 1024)}}`
  await expect(resolverBy(async () => new Response(padded))('page.org', signal)).rejects.toBeInstanceOf(EndlessBodyError)
})

test('an answer that is none is cancelled before anybody else has its place', async () => {
  let open = 0
  const busy: typeof fetch = async () => {
    open += 1
    const body = new ReadableStream({
      cancel: () => {
        open -= 1
      },
    })
    return new Response(body, { status: 503 })
  }
  await expect(resolverBy(busy)('page.org', signal)).rejects.toThrow('503')
  expect(open).toBe(0)
})
