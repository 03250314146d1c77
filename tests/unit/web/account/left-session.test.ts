// The sessions from which somebody logs in again, and when they may end.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { endLeftSession, rememberSession } from '../../../../web/features/account/left-session.ts'

const kept = new Map<string, string>()
let sessions: { readonly id: string; readonly token: string }[] = []
let current: { readonly id: string; readonly userId: string } | null = null
let isDown = false
let revoked: unknown[] = []

beforeEach(() => {
  kept.clear()
  revoked = []
  isDown = false
  sessions = [
    { id: 'old', token: 'token of old' },
    { id: 'elsewhere', token: 'token of elsewhere' },
  ]
  current = { id: 'old', userId: 'ada' }
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
  vi.stubGlobal('location', { origin: 'http://localhost' })
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (isDown) throw new TypeError('Failed to fetch')
    if (url.endsWith('/get-session')) return Response.json(current && { session: current })
    if (url.endsWith('/list-sessions')) return Response.json(sessions)
    if (url.endsWith('/revoke-session')) revoked.push(JSON.parse(String(init.body)))
    return Response.json({ status: true })
  })
})

afterEach(() => void vi.unstubAllGlobals())

const logInAgain = () => {
  current = { id: 'new', userId: 'ada' }
  sessions = [...sessions, { id: 'new', token: 'token of new' }]
}

test('it ends when this browser has another one, once, and no other does', async () => {
  await rememberSession()
  await endLeftSession()
  expect(revoked).toEqual([])
  logInAgain()
  await endLeftSession()
  await endLeftSession()
  expect(revoked).toEqual([{ token: 'token of old' }])
})

test('of a session that nobody left, none ends', async () => {
  logInAgain()
  await endLeftSession()
  expect(revoked).toEqual([])
})

test('while another person is here nothing ends, and nothing is forgotten: the right account may be picked next', async () => {
  const ofAda = sessions
  await rememberSession()
  current = { id: 'of bob', userId: 'bob' }
  sessions = [{ id: 'of bob', token: 'token of bob' }]
  await endLeftSession()
  expect(revoked).toEqual([])
  sessions = ofAda
  logInAgain()
  await endLeftSession()
  await endLeftSession()
  expect(revoked).toEqual([{ token: 'token of old' }])
})

test('each of two people who are here in turn keeps what they have left', async () => {
  const ofAda = sessions
  await rememberSession()
  current = { id: 'of bob', userId: 'bob' }
  sessions = [{ id: 'of bob', token: 'token of bob' }]
  await rememberSession()
  sessions = ofAda
  logInAgain()
  await endLeftSession()
  expect(revoked).toEqual([{ token: 'token of old' }])
  current = { id: 'newer of bob', userId: 'bob' }
  sessions = [
    { id: 'of bob', token: 'token of bob' },
    { id: 'newer of bob', token: 'token of newer' },
  ]
  await endLeftSession()
  expect([revoked, kept.size]).toEqual([[{ token: 'token of old' }, { token: 'token of bob' }], 0])
})

test('all that one person has left end, each once', async () => {
  await rememberSession()
  await rememberSession()
  logInAgain()
  await rememberSession()
  current = { id: 'newest', userId: 'ada' }
  sessions = [...sessions, { id: 'newest', token: 'token of newest' }]
  await endLeftSession()
  await endLeftSession()
  expect(revoked).toEqual([{ token: 'token of old' }, { token: 'token of new' }])
})

test.each(['old', 'ada old', '{"ada":"old"}', '12'])('%j, which an earlier version kept, ends nothing and is dropped', async (value) => {
  kept.set('parley:left-session', value)
  logInAgain()
  await endLeftSession()
  expect([revoked, kept.size]).toEqual([[], 0])
  await rememberSession()
  current = { id: 'newest', userId: 'ada' }
  await endLeftSession()
  expect(revoked).toEqual([{ token: 'token of new' }])
})

test('one that has ended by itself is forgotten', async () => {
  await rememberSession()
  logInAgain()
  sessions = sessions.filter(({ id }) => id !== 'old')
  await endLeftSession()
  expect([revoked, kept.size]).toEqual([[], 0])
})

test('what lets somebody in is not kept, and what could not be ended is ended later', async () => {
  await rememberSession()
  expect([...kept.values()].join()).not.toContain('token')
  logInAgain()
  isDown = true
  await endLeftSession()
  isDown = false
  await endLeftSession()
  expect(revoked).toEqual([{ token: 'token of old' }])
})
