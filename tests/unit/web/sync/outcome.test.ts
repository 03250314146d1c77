import { expect, test } from 'vitest'
import { outcomeFrom, serverOutcomeFrom } from '../../../../web/sync/outcome.ts'
import { refusal } from '../../../../worker/contract/errors.ts'

test('a refusal by the rules of the contract reaches the caller with its code', () => {
  const details = refusal('credits_exhausted')
  expect(outcomeFrom({ type: 'error', error: { type: 'app', message: details.code, details } })).toEqual({ ok: false, refusal: details })
})

test('a code in a schema’s message is recognised', () => {
  const result = outcomeFrom({ type: 'error', error: { type: 'app', message: 'text: message_too_long', details: undefined } })
  expect(result).toEqual({ ok: false, refusal: refusal('message_too_long') })
})

test('any other error becomes a generic sentence', () => {
  const result = outcomeFrom({
    type: 'error',
    error: { type: 'app', message: 'TypeError: x is not a function', details: { code: 'toString' } },
  })
  expect(result).toEqual({ ok: false, refusal: refusal('internal') })
})

test('a client that accepts no writes is offline', () => {
  expect(outcomeFrom({ type: 'error', error: { type: 'zero', message: 'closed' } })).toMatchObject({
    ok: false,
    refusal: { code: 'offline' },
  })
})

test('success is ok', () => {
  expect(outcomeFrom({ type: 'success' })).toEqual({ ok: true })
})

test('a page that was hidden for long receives no outcome of a write, which stays queued', () => {
  const given = { type: 'error', error: { type: 'zero', message: 'Connection closed because tab was hidden' } } as const
  expect(serverOutcomeFrom(given, true)).toEqual({ ok: true, isPending: true })
  expect(serverOutcomeFrom(given, false)).toMatchObject({ ok: false, refusal: { code: 'offline' } })
  const details = refusal('thread_busy')
  const refused = { type: 'error', error: { type: 'app', message: details.code, details } } as const
  expect(serverOutcomeFrom(refused, true)).toEqual({ ok: false, refusal: details })
})
