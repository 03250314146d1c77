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
    return Response.json({ Status: 0, Answer: records })
  })
  expect(await resolve('page.org', signal)).toEqual(['93.184.215.14', '2606:2800:21f::1'])
  expect(asked).toEqual(['?name=page.org&type=A', '?name=page.org&type=AAAA'])
})

const answering = (answers: Readonly<Record<string, object>>): typeof fetch => {
  return async (input) => Response.json(answers[new URL(String(input)).searchParams.get('type') ?? ''])
}

test.each<[string, object]>([
  ['a name that there is not', { Status: 3 }],
  ['a name without an address', { Status: 0 }],
  ['a name that only leads to another', { Status: 0, Answer: [{ type: 5, data: 'alias.org.' }] }],
])('%s has no addresses', async (_name, answer) => {
  expect(await resolverBy(answering({ A: answer, AAAA: answer }))('page.org', signal)).toEqual([])
})

test.each([1, 2, 4, 5, 9, 23])('what a server of names failed to answer (%i) is no answer, for either kind of address', async (Status) => {
  const found = { Status: 0, Answer: [{ type: 1, data: '93.184.215.14' }] }
  await expect(resolverBy(answering({ A: { Status }, AAAA: { Status } }))('page.org', signal)).rejects.toThrow(String(Status))
  // One of its addresses might be private.
  await expect(resolverBy(answering({ A: found, AAAA: { Status } }))('page.org', signal)).rejects.toThrow(String(Status))
})

test('an answer longer than any is not read to its end', async () => {
  const padded = `{"Status":0,"Answer":[]${' '.repeat(128 * 1024)}}`
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
