// Reading an answer with the token of the socket that requested it, from the message to the last chunk.
import { beforeAll, describe, expect, test } from 'vitest'
import type { ErrorBody } from '../../../worker/contract/http.ts'
import { Browser, signInByCode } from '../auth/browser.ts'
import { worker } from '../bindings.ts'
import { connected, newUser, origin, type SyncUser, turnArgs } from '../sync-wire.ts'
import { partsOf, readEvents, textIn } from '../turns.ts'

let ada: SyncUser
let ben: SyncUser
beforeAll(async () => {
  ;[ada, ben] = [await newUser(), await newUser()]
})

/** Without a cookie: no session can be looked up. */
const read = ({ threadId, answerId }: { readonly threadId: string; readonly answerId: string }, authorization?: string) =>
  worker.fetch(`${origin}/api/thread/${threadId}/stream?generation=${answerId}`, authorization ? { headers: { authorization } } : {})

async function asked(user: SyncUser, text: string) {
  const wire = await connected(user)
  const args = turnArgs(text)
  await wire.confirmed(wire.mutate('threads.send', args))
  return { wire, answer: args }
}

const codeOf = async (response: Response) => [response.status, (await response.json<ErrorBody>()).error.code]

describe('the token of a page', () => {
  test('reads to the end answers that were requested while its socket was open', async () => {
    const { answer } = await asked(ada, '/demo say=tea')
    const events = await readEvents(await read(answer, `Bearer ${ada.token}`))
    expect(events.at(-1)).toEqual({ type: 'end', ending: 'completed' })
    expect(textIn(partsOf(events))).toBe('tea')
  })

  test('gives no access without an answer id, and an invalid token gives none', async () => {
    const { answer } = await asked(ada, '/demo chunks=3000 delay=2')
    const [header, payload, signature] = ada.token.split('.')
    const forged = [header, payload, [...(signature ?? '')].reverse().join('')].join('.')
    for (const authorization of [undefined, 'Bearer', 'Bearer ', `Bearer ${forged}`, `Basic ${ada.token}`, ada.token, 'Bearer a.b.c'])
      expect(await codeOf(await read(answer, authorization))).toEqual([401, 'session_required'])
    const unnamed = `${origin}/api/thread/${answer.threadId}/stream`
    expect(await codeOf(await worker.fetch(unnamed, { headers: { authorization: `Bearer ${ada.token}` } }))).toEqual([
      401,
      'session_required',
    ])
    expect(await codeOf(await read({ ...answer, threadId: 'no id' }, `Bearer ${ada.token}`))).toEqual([401, 'session_required'])
    // Another user's token gets the response for a missing answer.
    expect(await codeOf(await read(answer, `Bearer ${ben.token}`))).toEqual([404, 'not_found'])
  })

  test('requires the cookie as well if its session was not connected at the request', async () => {
    const [here, phone] = [new Browser(), new Browser()]
    const { userId } = await signInByCode(here, 'two-devices@stream.test')
    await signInByCode(phone, 'two-devices@stream.test')
    const tokenOf = async (browser: Browser) => (await browser.json<{ token: string }>('/api/auth/token')).token
    const { answer } = await asked({ userId, token: await tokenOf(here) }, '/demo chunks=3000 delay=2')
    const authorization = `Bearer ${await tokenOf(phone)}`
    expect(await codeOf(await read(answer, authorization))).toEqual([401, 'session_required'])
    const path = `/api/thread/${answer.threadId}/stream?generation=${answer.answerId}`
    const events = await readEvents(await phone.call(path, { headers: { authorization } }), (seen) => seen.length > 3)
    expect(events.length).toBeGreaterThan(3)
  })
})
