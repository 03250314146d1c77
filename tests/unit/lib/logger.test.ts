// The content of a log line.
import { APICallError } from 'ai'
import Stripe from 'stripe'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ModelStreamError } from '../../../worker/chat/model/errors.ts'
import { logger, loggingFor } from '../../../worker/lib/logger.ts'

const logged = vi.spyOn(console, 'error')
beforeEach(() => void logged.mockClear().mockImplementation(() => undefined))
afterEach(() => expect(logged).toHaveBeenCalled())

const lineOf = (error: unknown): Record<string, unknown> => {
  logger.error('failed', error)
  return JSON.parse(String(logged.mock.lastCall?.[0])) as Record<string, unknown>
}

class UpstashError extends Error {
  override name = 'UpstashError'
}

test('an error of a provider: its name, code and status, without quoted data', () => {
  const secret = 'ada@example.test sk_live_1234'
  const stripe = new Stripe.errors.StripeInvalidRequestError({
    message: `No such customer: ${secret}`,
    type: 'invalid_request_error',
    code: 'resource_missing',
    statusCode: 404,
  })
  const call = new APICallError({
    message: secret,
    url: 'https://models.test',
    requestBodyValues: { secret },
    statusCode: 400,
    responseBody: secret,
  })
  const lines = [
    stripe,
    new UpstashError(`WRONGTYPE, command was: ["set","${secret}"]`),
    call,
    new ModelStreamError({ message: secret }),
  ].map(lineOf)
  expect(lines.map(({ error }) => error)).toEqual([
    'StripeInvalidRequestError resource_missing 404',
    'UpstashError',
    'AI_APICallError 400',
    'ModelStreamError',
  ])
  const wrapped = lineOf(new Error('not told', { cause: stripe }))
  expect(wrapped).toMatchObject({ error: 'Error: not told', causes: 'StripeInvalidRequestError resource_missing 404' })
  for (const [line] of logged.mock.calls) expect(String(line)).not.toMatch(/ada|sk_live/)
})

test('an error of the product or the database: its first line', () => {
  expect(lineOf(new Error('D1_ERROR: no such table\nparams: ada'))).toMatchObject({ error: 'Error: D1_ERROR: no such table' })
})

test('every log line of a request contains its id', async () => {
  const lines = await Promise.all(
    ['one', 'two'].map((id) =>
      loggingFor(id, async () => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        return lineOf(new Error('x')).requestId
      }),
    ),
  )
  expect(lines).toEqual(['one', 'two'])
  expect(lineOf(new Error('x'))).not.toHaveProperty('requestId')
})
