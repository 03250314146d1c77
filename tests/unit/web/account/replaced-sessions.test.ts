// Sessions that were replaced by logging in again, and when they are ended.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { endReplacedSessions, rememberSession } from '../../../../web/features/account/sessions-section.tsx'

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

test('is ended once when this browser has another session, and no other session is', async () => {
  await rememberSession()
  await endReplacedSessions()
  expect(revoked).toEqual([])
  logInAgain()
  await endReplacedSessions()
  await endReplacedSessions()
  expect(revoked).toEqual([{ token: 'token of old' }])
})

test('nothing is ended without a replaced session', async () => {
  logInAgain()
  await endReplacedSessions()
  expect(revoked).toEqual([])
})

test('while another user is signed in nothing is ended or dropped: the right account may be selected next', async () => {
  const ofAda = sessions
  await rememberSession()
  current = { id: 'of bob', userId: 'bob' }
  sessions = [{ id: 'of bob', token: 'token of bob' }]
  await endReplacedSessions()
  expect(revoked).toEqual([])
  sessions = ofAda
  logInAgain()
  await endReplacedSessions()
  await endReplacedSessions()
  expect(revoked).toEqual([{ token: 'token of old' }])
})

test('two alternating users keep separate entries', async () => {
  const ofAda = sessions
  await rememberSession()
  current = { id: 'of bob', userId: 'bob' }
  sessions = [{ id: 'of bob', token: 'token of bob' }]
  await rememberSession()
  sessions = ofAda
  logInAgain()
  await endReplacedSessions()
  expect(revoked).toEqual([{ token: 'token of old' }])
  current = { id: 'newer of bob', userId: 'bob' }
  sessions = [
    { id: 'of bob', token: 'token of bob' },
    { id: 'newer of bob', token: 'token of newer' },
  ]
  await endReplacedSessions()
  expect([revoked, kept.size]).toEqual([[{ token: 'token of old' }, { token: 'token of bob' }], 0])
})

test('all replaced sessions of a user are ended, each once', async () => {
  await rememberSession()
  await rememberSession()
  logInAgain()
  await rememberSession()
  current = { id: 'newest', userId: 'ada' }
  sessions = [...sessions, { id: 'newest', token: 'token of newest' }]
  await endReplacedSessions()
  await endReplacedSessions()
  expect(revoked).toEqual([{ token: 'token of old' }, { token: 'token of new' }])
})

test.each(['old', 'ada old', '{"ada":"old"}', '12'])('%j of an earlier version ends nothing and is dropped', async (value) => {
  kept.set('parley:replaced-sessions', value)
  logInAgain()
  await endReplacedSessions()
  expect([revoked, kept.size]).toEqual([[], 0])
  await rememberSession()
  current = { id: 'newest', userId: 'ada' }
  await endReplacedSessions()
  expect(revoked).toEqual([{ token: 'token of new' }])
})

test('an expired session is dropped', async () => {
  await rememberSession()
  logInAgain()
  sessions = sessions.filter(({ id }) => id !== 'old')
  await endReplacedSessions()
  expect([revoked, kept.size]).toEqual([[], 0])
})

test('no credentials are stored, and a failed call is retried later', async () => {
  await rememberSession()
  expect([...kept.values()].join()).not.toContain('token')
  logInAgain()
  isDown = true
  await endReplacedSessions()
  isDown = false
  await endReplacedSessions()
  expect(revoked).toEqual([{ token: 'token of old' }])
})
