// Answer streams end with the session of their reader, and an answer has a bounded number of readers.
import { describe, expect, test } from 'vitest'
import { maxStreamReaders } from '../../worker/contract/limits.ts'
import type { StreamEvent } from '../../worker/contract/threads/event-stream.ts'
import { endSessions } from '../../worker/user-sync/rpc.ts'
import { Browser, guest, signInByCode } from './auth/browser.ts'
import { connected, turnArgs } from './sync-wire.ts'
import { bindings, generationOf, givenTurn, inside, openStream, readEvents, recordedGeneration, untilEnded } from './turns.ts'

const longAnswer = '/demo chunks=3000 delay=2'
const ended = { type: 'session-ended' } as const

const tokenOf = async (browser: Browser) => (await browser.json<{ token: string }>('/api/auth/token')).token

async function deviceOf(email: string) {
  const browser = new Browser()
  const { userId } = await signInByCode(browser, email)
  const { session } = await browser.json<{ session: { token: string } }>('/api/auth/get-session')
  return { browser, userId, sessionToken: session.token, token: await tokenOf(browser) }
}

type Device = Awaited<ReturnType<typeof deviceOf>>

async function codeOf(response: Response): Promise<readonly [number, string]> {
  const { error } = (await response.json()) as { error: { code: string } }
  return [response.status, error.code]
}

/** Starts an answer on the first device. */
async function startAnswer({ userId, token }: Device, text = longAnswer) {
  const wire = await connected({ userId, token })
  const { threadId, answerId, ...rest } = turnArgs(text)
  await wire.confirmed(wire.mutate('threads.send', { threadId, answerId, ...rest }))
  const path = `/api/thread/${threadId}/stream?generation=${answerId}`
  const stop = async () => {
    await (await recordedGeneration(answerId)).stop(answerId, userId)
    await wire.close().catch(() => undefined)
  }
  return { wire, path, answerId, threadId, stop }
}

/** Reads in the background. */
function follow(response: Response) {
  let seen: readonly StreamEvent[] = []
  const all = readEvents(response, (events) => {
    seen = events
    return false
  })
  const untilMore = async (count = 3) => {
    const enough = seen.length + count
    while (seen.length < enough) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return { all, seen: () => seen, untilMore }
}

describe('a revoked session', () => {
  const ways: { readonly [way: string]: (desk: Device, phone: Device) => Promise<unknown> } = {
    'sign-out': (_desk, phone) => phone.browser.json('/api/auth/sign-out', { body: {} }),
    'revoke-session': (desk, phone) => desk.browser.json('/api/auth/revoke-session', { body: { token: phone.sessionToken } }),
    'revoke-other-sessions': (desk) => desk.browser.json('/api/auth/revoke-other-sessions', { body: {} }),
  }

  test.each(Object.keys(ways))('ends its reader after %s, and not the reader of another session', async (way) => {
    const email = `${way}@streams.test`
    const [desk, phone] = [await deviceOf(email), await deviceOf(email)]
    const answer = await startAnswer(desk)
    const [onDesk, onPhone] = [follow(await desk.browser.call(answer.path)), follow(await phone.browser.call(answer.path))]
    await Promise.all([onDesk.untilMore(), onPhone.untilMore()])
    const cookie = phone.browser.cookie
    await ways[way]?.(desk, phone)
    expect((await onPhone.all).at(-1)).toEqual(ended)
    await onDesk.untilMore()
    expect(onDesk.seen()).not.toContainEqual(ended)
    const revoked = new Browser()
    for (const pair of cookie.split('; ')) revoked.wear(pair)
    for (const path of [answer.path, `/api/thread/${answer.threadId}/stream`])
      expect(await codeOf(await revoked.call(path))).toEqual([401, 'session_required'])
    await answer.stop()
    expect((await onDesk.all).at(-1)).toEqual({ type: 'end', ending: 'stopped' })
  })

  test('its token opens no stream, although it was connected when the turn started', async () => {
    const email = 'by-token@streams.test'
    const [desk, phone] = [await deviceOf(email), await deviceOf(email)]
    const onPhone = await connected({ userId: phone.userId, token: phone.token })
    const answer = await startAnswer(desk)
    const byToken = () => new Browser().call(answer.path, { headers: { authorization: `Bearer ${phone.token}` } })
    const reading = follow(await byToken())
    await reading.untilMore()
    await ways['revoke-session']?.(desk, phone)
    expect((await reading.all).at(-1)).toEqual(ended)
    expect(await codeOf(await byToken())).toEqual([401, 'session_required'])
    await onPhone.untilClosed()
    await answer.stop()
  })

  test('ends a slow reader of an answer that has ended', async () => {
    const device = await deviceOf('slow@streams.test')
    const answer = await startAnswer(device, '/demo chunks=1500 chars=1000 delay=0')
    const slow = await device.browser.call(answer.path)
    await untilEnded({ generationId: answer.answerId })
    await device.browser.json('/api/auth/sign-out', { body: {} })
    // Workerd drops what the stream still holds when it is closed, `session-ended` included.
    expect((await readEvents(slow)).length).toBeLessThan(1500)
  })

  test('ends readers of an answer that was started as a guest', async () => {
    const { browser, userId: guestId } = await guest()
    const wire = await connected({ userId: guestId, token: await tokenOf(browser) })
    const args = turnArgs(longAnswer)
    await wire.confirmed(wire.mutate('threads.send', args))
    const generation = await recordedGeneration(args.answerId)
    const { userId } = await signInByCode(browser, 'was-guest@streams.test')
    const path = `/api/thread/${args.threadId}/stream?generation=${args.answerId}`
    const reading = follow(await browser.call(path))
    await reading.untilMore()
    await browser.json('/api/auth/sign-out', { body: {} })
    expect((await reading.all).at(-1)).toEqual(ended)
    await generation.stop(args.answerId, userId)
  })

  test('[G12] refuses a reader that waits for its answer, and one whose session was read just before it ended', async () => {
    const turn = await givenTurn(longAnswer)
    const waiting = openStream({ ...turn, sessionId: 'waits' })
    const other = openStream({ ...turn, sessionId: 'stays' })
    // Both requests reach the object while it answers these calls.
    for (let i = 0; i < 20; i++) await inside(turn, () => undefined)
    await endSessions(bindings as never, turn.userId, ['waits'])
    expect((await waiting).status).toBe(401)
    await generationOf(turn).start({ ...turn, sessions: ['waits', 'stays'] })
    expect((await openStream({ ...turn, sessionId: 'waits' })).status).toBe(401)
    const reading = follow(await other)
    await reading.untilMore()
    await endSessions(bindings as never, turn.userId, 'all')
    expect((await reading.all).at(-1)).toEqual(ended)
    await generationOf(turn).stop(turn.generationId, turn.userId)
    await untilEnded(turn)
  })
})

describe('the readers of one answer', () => {
  test('[G11] are 20; the next is refused, those before it continue, and a page that reconnects replaces its own reader', async () => {
    const desk = await deviceOf('crowd@streams.test')
    const answer = await startAnswer(desk, '/demo chunks=1200 delay=50')
    const readers = await Promise.all(
      Array.from({ length: maxStreamReaders - 1 }, async () => follow(await desk.browser.call(answer.path))),
    )
    const last = await desk.browser.call(`${answer.path}&reader=the-page-that-reconnects`)
    expect(last.status).toBe(200)
    const refused = await desk.browser.call(answer.path)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await codeOf(refused)).toEqual([429, 'too_many_readers'])
    await Promise.all(readers.map(({ untilMore }) => untilMore()))
    const again = await desk.browser.call(`${answer.path}&reader=the-page-that-reconnects`)
    expect(again.status).toBe(200)
    expect((await readEvents(last)).map(({ type }) => type)).not.toContain('end')
    expect((await codeOf(await desk.browser.call(answer.path)))[0]).toBe(429)
    await again.body?.cancel()
    await answer.stop()
    for (const { all } of readers) expect((await all).at(-1)).toEqual({ type: 'end', ending: 'stopped' })
  })
})

describe('readers that arrive before their turn', () => {
  const path = ({ threadId, answerId }: ReturnType<typeof turnArgs>) => `/api/thread/${threadId}/stream?generation=${answerId}`

  /** One call more than may wait. Resolves when it is refused, so that the others wait. */
  async function crowd({ browser }: Device, args: ReturnType<typeof turnArgs>) {
    const refused = Promise.withResolvers<Response>()
    const calls = Array.from({ length: maxStreamReaders + 1 }, async () => {
      const response = await browser.call(path(args))
      if (response.status === 429) refused.resolve(response)
      return response
    })
    expect(await codeOf(await refused.promise)).toEqual([429, 'too_many_readers'])
    return async () => (await Promise.all(calls)).filter(({ status }) => status !== 429)
  }

  test('[G10] are at most 20 for a user, and read the answer once the mutation opens it', async () => {
    const desk = await deviceOf('early@streams.test')
    const wire = await connected(desk)
    const args = turnArgs('/demo chunks=3 delay=0')
    const responses = await crowd(desk, args)
    await wire.confirmed(wire.mutate('threads.send', args))
    const endings = (await responses()).map(async (response) => (await readEvents(response)).at(-1))
    expect(await Promise.all(endings)).toEqual(Array(maxStreamReaders).fill({ type: 'end', ending: 'completed' }))
    await wire.close()
  })

  test('are refused if their session ends while they wait', async () => {
    const email = 'early-and-gone@streams.test'
    const [desk, phone] = [await deviceOf(email), await deviceOf(email)]
    const wire = await connected(desk)
    const args = turnArgs('/demo chunks=3 delay=0')
    const responses = await crowd(phone, args)
    await phone.browser.json('/api/auth/sign-out', { body: {} })
    await wire.confirmed(wire.mutate('threads.send', args))
    expect((await responses()).map(({ status }) => status)).toEqual(Array(maxStreamReaders).fill(401))
    await wire.close()
  })
})
