// The list of sessions after requests that failed in part.
import { describe, expect, test } from 'vitest'
import { sessionsAfter } from '../../../../web/features/account/sessions-section.tsx'
import type { SessionsBody } from '../../../../worker/contract/http.ts'

const session = (id: string): SessionsBody[number] => ({
  id,
  token: `token of ${id}`,
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
})
const ok = <T>(body: T) => ({ ok: true, body }) as const
const failed = (message: string) => ({ ok: false, code: null, message }) as const
const current = ok({ session: { id: 'here' } })

const loaded = { status: 'loaded', sessions: [session('here')], currentId: 'here' } as const

describe('the list of sessions', () => {
  test('has the sessions and the id of the current one', () => expect(sessionsAfter(null, ok([session('here')]), current)).toEqual(loaded))
  test('keeps the id of the current session if only its request fails', () =>
    expect(sessionsAfter(loaded, ok([session('there'), session('here')]), failed('offline'))).toEqual({
      ...loaded,
      sessions: [session('there'), session('here')],
    }))
  test('fails at first if the current session is unknown', () =>
    expect(sessionsAfter(null, ok([session('here')]), failed('offline'))).toEqual({ status: 'failed', message: 'offline' }))
  test('stays if a later request for the list fails', () => {
    expect(sessionsAfter(loaded, failed('offline'), current)).toBe(loaded)
    expect(sessionsAfter(null, failed('offline'), current)).toEqual({ status: 'failed', message: 'offline' })
  })
  test('replaces a failure', () =>
    expect(sessionsAfter({ status: 'failed', message: 'offline' }, ok([session('here')]), current)).toEqual(loaded))
})
