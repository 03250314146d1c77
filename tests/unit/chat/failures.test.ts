import { describe, expect, test } from 'vitest'
import { CutShortError, ModelStreamError, SilentModelError } from '../../../worker/chat/model/errors.ts'
import { failureOf } from '../../../worker/chat/model/failures.ts'

const lost = new Error('Network connection lost.')
const named = (name: string, fields: object = {}, cause?: unknown) =>
  Object.assign(new Error('sent by the provider: key sk-123 refused', { cause }), { name, ...fields })
const refused = (statusCode: number, fields: object = {}) => named('AI_APICallError', { statusCode, ...fields })

describe('failureOf', () => {
  const cases: [string, unknown, string][] = [
    ['the error of workerd for a closed port', lost, 'model_unreachable'],
    ['the same, as the gateway’s client wraps it', named('GatewayResponseError', { statusCode: 500 }, lost), 'model_unreachable'],
    [
      'a call that Node could not make, as the gateway’s client wraps it',
      named('GatewayInternalServerError', { statusCode: 500 }, named('AI_APICallError')),
      'model_unreachable',
    ],
    ['a real 500 of the gateway', named('GatewayInternalServerError', { statusCode: 500 }, refused(500)), 'model_error'],
    ['a connection lost in the middle', refused(200, { cause: lost }), 'model_unreachable'],
    ['the SDK’s words for a missing gateway key', named('GatewayError'), 'model_refused_key'],
    ['a silent model', new SilentModelError(''), 'model_silent'],
    ['a stream without an end', new CutShortError(''), 'model_unreachable'],
    ['something that is no error', 'oops', 'model_unreachable'],
    ['nothing', undefined, 'model_unreachable'],
  ]
  test.each(cases)('%s', (_name, error, code) => expect(failureOf(error).code).toBe(code))

  test('contains nothing but a code', () => {
    for (const [, error] of cases) expect(Object.keys(failureOf(error))).toEqual(['code'])
  })

  test('handles an error that is its own cause', () => {
    const circle = named('AI_APICallError')
    circle.cause = circle
    expect(failureOf(circle).code).toBe('model_unreachable')
  })
})

describe('a busy provider with a retry time', () => {
  const nowMs = Date.UTC(2026, 10, 22, 12)
  const waitOf = (headers: object, status = 429) => failureOf(refused(status, { responseHeaders: headers }), nowMs).retryInMs
  test.each([
    [{ 'retry-after': '1' }, 1000],
    [{ 'retry-after-ms': '2300' }, 2300],
    [{ 'retry-after': '60' }, 60_000],
    [{ 'retry-after': 'Sun, 22 Nov 2026 12:05:00 GMT' }, 300_000],
    [{ 'retry-after': 'Sun, 22 Nov 2026 11:00:00 GMT' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '0' }, undefined],
    [{}, undefined],
  ])('%j: %s ms', (headers, waitMs) => {
    expect(waitOf(headers)).toBe(waitMs)
    expect(waitOf(headers, 503)).toBe(waitMs)
  })

  test('any other failure has no retry time', () => {
    expect(waitOf({ 'retry-after': '60' }, 500)).toBeUndefined()
  })
})

describe('a busy provider, and an account without funds', () => {
  const gemini = (quota: string, wait: string) =>
    JSON.stringify({
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: `You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits. * Quota exceeded for metric: generate_content_free_tier_requests, limit: 10${wait}`,
        details: [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: quota }] }],
      },
    })
  const openAi = (code: string, message: string) => JSON.stringify({ error: { message, type: code, param: null, code } })
  const quotaText = 'You exceeded your current quota, please check your plan and billing details.'
  const rateText =
    'Rate limit reached for gpt-4o on requests per min (RPM): Limit 3. Please try again in 20s. You can increase your rate limit by adding a payment method to your account at https://platform.openai.com/account/billing.'
  const creditText =
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.'
  const after = { 'retry-after': '2' }

  test.each<[what: string, status: number, body: string, headers: object, code: string]>([
    [
      'Gemini’s limit of a minute',
      429,
      gemini('GenerateRequestsPerMinutePerProjectPerModel-FreeTier', '\nPlease retry in 2.1s.'),
      {},
      'model_busy',
    ],
    ['the same, known from a header only', 429, gemini('X', ''), after, 'model_busy'],
    ['the same, known from its name only', 429, gemini('GenerateRequestsPerMinutePerProjectPerModel', ''), {}, 'model_busy'],
    ['OpenAI’s rate limit, with a link to its billing', 429, openAi('rate_limit_exceeded', rateText), {}, 'model_busy'],
    ['the same with a header', 429, openAi('rate_limit_exceeded', rateText), after, 'model_busy'],
    ['Google’s shared capacity', 429, openAi('RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'), {}, 'model_busy'],
    ['OpenAI’s empty account', 429, openAi('insufficient_quota', quotaText), {}, 'model_out_of_funds'],
    ['the same, whatever its header says', 429, openAi('insufficient_quota', quotaText), after, 'model_out_of_funds'],
    ['Moonshot’s empty account', 429, openAi('exceeded_current_quota_error', 'Your account is suspended.'), {}, 'model_out_of_funds'],
    ['a quota without a time to come back', 429, openAi('quota', quotaText), {}, 'model_out_of_funds'],
    [
      'OpenAI’s limit of a month',
      400,
      openAi('billing_hard_limit_reached', 'Billing hard limit has been reached.'),
      {},
      'model_out_of_funds',
    ],
    ['Anthropic’s empty account', 400, openAi('invalid_request_error', creditText), {}, 'model_out_of_funds'],
    ['xAI’s empty account', 403, openAi('forbidden', "Your newly created team doesn't have any credits yet."), {}, 'model_out_of_funds'],
    ['DeepSeek’s empty account', 402, openAi('unknown_error', 'Insufficient Balance'), {}, 'model_out_of_funds'],
    ['a wrong request that speaks of billing', 400, openAi('invalid_request_error', 'Unknown field: billing'), {}, 'model_error'],
  ])('%s (%i)', (_what, status, responseBody, responseHeaders, code) =>
    expect(failureOf(refused(status, { responseBody, responseHeaders })).code).toBe(code),
  )
})

describe('an error as text of a stream or a document', () => {
  test.each([
    [{ error: { message: 'No.', code: 'insufficient_quota' } }, 'model_out_of_funds'],
    [{ error: { message: 'You exceeded your current quota, check your billing' } }, 'model_out_of_funds'],
    [{ error: { message: 'No.', type: 'rate_limit_error' } }, 'model_busy'],
    [{ error: { message: 'No.', type: 'authentication_error' } }, 'model_refused_key'],
    [{ error: 'no such model' }, 'model_error'],
  ])('%j is %s', (message, code) => expect(failureOf(new ModelStreamError(message)).code).toBe(code))
})
