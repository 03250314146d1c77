// Connections end with their session and token. Rules: worker/sync/SPEC.md, C2, C5 to C7.
import { describe, expect, test } from 'vitest'
import { Browser, guest, signInByCode } from './auth/browser.ts'
import { batchesDuring, evict, fireAlarm, inside, isConnected, setAlarmAt } from './sync-object.ts'
import { connected, connectWire, env, me, type Wire } from './sync-wire.ts'

type Device = { readonly browser: Browser; readonly sessionToken: string; readonly user: { userId: string; token: string } }

const tokenOf = async (browser: Browser) => (await browser.json<{ token: string }>('/api/auth/token')).token

/** A user with an account, on one more device. */
async function deviceOf(email: string): Promise<Device> {
  const browser = new Browser()
  const { userId } = await signInByCode(browser, email)
  const { session } = await browser.json<{ session: { token: string } }>('/api/auth/get-session')
  return { browser, sessionToken: session.token, user: { userId, token: await tokenOf(browser) } }
}

/** The connection has ended when the call returns, without an alarm, frame or later call. Then the error arrives. */
async function endsAtOnce(wire: Wire, act: () => Promise<unknown>): Promise<void> {
  expect(await isConnected(wire)).toBe(true)
  await act()
  expect(await isConnected(wire)).toBe(false)
  expect(await wire.receives('error')).toEqual({ kind: 'Unauthorized', message: 'the session has ended', origin: 'zeroCache' })
  expect((await wire.untilClosed()).code).toBe(1000)
}

describe('[C7] connections end with their session', () => {
  test('signing out closes every tab of that browser, and its token connects no more', async () => {
    const { browser, userId } = await guest()
    const user = { userId, token: await tokenOf(browser) }
    const [tab, other] = [await connected(user, { queries: [me] }), await connected(user)]
    await endsAtOnce(tab, () => browser.json('/api/auth/sign-out', { body: {} }))
    expect(await other.receives('error')).toMatchObject({ kind: 'Unauthorized' })
    const late = await connectWire(user)
    await late.untilClosed()
    expect(late.frames).toEqual([['error', { kind: 'Unauthorized', message: 'the session has ended', origin: 'zeroCache' }]])
    const again = await connectWire(user, {
      params: { clientGroupID: tab.groupID, clientID: tab.clientID, baseCookie: tab.cookie ?? '' },
      init: { desiredQueriesPatch: [] },
    })
    expect(await again.receives('error')).toMatchObject({ kind: 'Unauthorized' })
  })

  test('revoking one session ends that one; revoking the others ends the others', async () => {
    const email = 'revoke@sessions.test'
    const [desk, phone, tablet] = [await deviceOf(email), await deviceOf(email), await deviceOf(email)]
    const [onDesk, onPhone, onTablet] = [await connected(desk.user), await connected(phone.user), await connected(tablet.user)]
    await endsAtOnce(onPhone, () => desk.browser.json('/api/auth/revoke-session', { body: { token: phone.sessionToken } }))
    await Promise.all([onDesk.settled(), onTablet.settled()])
    await endsAtOnce(onTablet, () => desk.browser.json('/api/auth/revoke-other-sessions', { body: {} }))
    await onDesk.settled()
    await endsAtOnce(onDesk, () => desk.browser.json('/api/auth/revoke-sessions', { body: {} }))
  })

  test.each([
    ['every session', '/api/auth/revoke-sessions'],
    ['every other session', '/api/auth/revoke-other-sessions'],
  ])('revoking %s of hundreds ends all of them', async (which, path) => {
    const email = `hundreds${which.length}@sessions.test`
    const desk = await deviceOf(email)
    const many = Array.from({ length: 250 }, (_, index) => `${which.length}-many-${index}`)
    const insert = env.DB.prepare(
      'insert into session (id, userId, token, expiresAt, createdAt, updatedAt) select value, ?, value, expiresAt, createdAt, updatedAt from json_each(?), session where session.token = ?',
    )
    await insert.bind(desk.user.userId, JSON.stringify(many), desk.sessionToken).run()
    const phone = await deviceOf(email)
    const onPhone = await connected(phone.user)
    await endsAtOnce(onPhone, () => desk.browser.json(path, { body: {} }))
    const left = await env.DB.prepare('select token from session where userId = ?').bind(desk.user.userId).all()
    expect(left.results).toEqual(path.includes('other') ? [{ token: desk.sessionToken }] : [])
  })

  test('also after an eviction', async () => {
    const { browser, userId } = await guest()
    const tab = await connected({ userId, token: await tokenOf(browser) })
    await evict({ userId, token: '' })
    await endsAtOnce(tab, () => browser.json('/api/auth/sign-out', { body: {} }))
  })
})

test('[C6] a renewed token of an ended session ends the connection', async () => {
  const email = 'renew@sessions.test'
  const [desk, phone] = [await deviceOf(email), await deviceOf(email)]
  const wire = await connected(desk.user)
  await phone.browser.json('/api/auth/sign-out', { body: {} })
  wire.send(['updateAuth', { auth: phone.user.token }])
  expect(await wire.receives('error')).toMatchObject({ kind: 'Unauthorized' })
  await wire.untilClosed()
})

test('[C2] the session is read in the round trip of the pull', async () => {
  const { browser, userId } = await guest()
  const user = { userId, token: await tokenOf(browser) }
  const wire = await connected(user, { queries: [me] })
  await wire.close()
  const { batches, singles } = await batchesDuring(user, async () => {
    const back = await wire.reconnect()
    await back.receives('pokeEnd')
    await back.close()
  })
  expect(batches).toHaveLength(1)
  expect(singles).toEqual([])
})

describe('[C5] token expiry', () => {
  /** As if the tokens of these connections expired then, in an evicted object. */
  async function expire(wire: Wire, expiresAtMs: number): Promise<void> {
    await inside(wire.user, (_object, state) => {
      for (const socket of state.getWebSockets(`client:${wire.clientID}`))
        socket.serializeAttachment({ ...socket.deserializeAttachment(), expiresAtMs })
    })
    await setAlarmAt(wire.user, 'tokens', expiresAtMs)
    await evict(wire.user)
  }

  const device = async () => {
    const { browser, userId } = await guest()
    return { browser, user: { userId, token: await tokenOf(browser) } }
  }

  test('the alarm closes the connection and is set for the next one', async () => {
    const { user } = await device()
    const [wire, other] = [await connected(user), await connected(user)]
    await expire(wire, Date.now() - 1)
    await fireAlarm(user)
    expect(await wire.receives('error')).toEqual({ kind: 'Unauthorized', message: 'the token is expired', origin: 'zeroCache' })
    await wire.untilClosed()
    await other.settled()
    const next = await inside(user, (_object, { storage }) => storage.getAlarm())
    expect(next).toBeGreaterThan(Date.now() + 14 * 60_000)
    await other.close()
  })

  test('until the alarm fires no poke is sent; a new token sends what was missed', async () => {
    const { user } = await device()
    const [wire, other] = [await connected(user, { queries: [me] }), await connected(user, { queries: [me] })]
    const { cookie } = wire
    await expire(wire, Date.now() - 1)
    await other.confirmed(other.push([{ name: 'settings.update', args: { nickname: 'Unheard' } }]))
    expect(wire.cookie).toBe(cookie)
    wire.send(['updateAuth', { auth: user.token }])
    await wire.until(() => wire.rowsOf('setting')[0]?.nickname === 'Unheard', 'the poke')
    await Promise.all([wire.close(), other.close()])
  })

  test('a token that was renewed in time stays connected', async () => {
    const { browser, user } = await device()
    const wire = await connected(user)
    await expire(wire, Date.now() + 60_000)
    wire.send(['updateAuth', { auth: await tokenOf(browser) }])
    await wire.settled()
    await setAlarmAt(user, 'tokens', 1)
    await fireAlarm(user)
    await wire.settled()
    expect(await inside(user, (_object, { storage }) => storage.getAlarm())).toBeGreaterThan(Date.now() + 14 * 60_000)
    await wire.close()
  })
})
