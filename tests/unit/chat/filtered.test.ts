// A question rejected by a provider's content filter, in the formats of all providers: reported as such, and not retried.
import { describe, expect, test } from 'vitest'
import { failureOf } from '../../../worker/chat/model/failures.ts'
import { answerTo, searchTools } from '../../support/model-run.ts'
import type { Behaviour } from '../../support/peers/peer-server.ts'
import { peersOfTest } from '../../support/peers/peers-of-test.ts'
import { connect, providerConnections } from '../../support/peers/provider-connections.ts'

const peers = peersOfTest()

const refusals: Readonly<Record<string, readonly [status: number, message: string, code?: string]>> = {
  OpenAI: [400, 'Invalid prompt: your prompt was flagged as potentially violating our usage policy.', 'invalid_prompt'],
  'OpenAI, of pictures': [400, 'Your request was rejected by our safety system.', 'moderation_blocked'],
  Azure: [400, "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", 'content_filter'],
  OpenRouter: [403, 'openai/o1 requires moderation on OpenRouter. Your input was flagged for "violence".'],
  xAI: [403, 'Content violates usage guidelines.'],
  Alibaba: [400, 'Input data may contain inappropriate content.', 'data_inspection_failed'],
  DeepSeek: [400, 'Content Exists Risk'],
  'Z.ai': [400, 'System detected potentially unsafe or sensitive content in input or generation.'],
}

const filtered = { ending: 'failed', failure: { code: 'model_filtered' } }

describe.each(providerConnections)('$provider', ({ provider, start, connections }) => {
  const ask = async (behaviour: Behaviour, isWithTools = false) => {
    const peer = await start([behaviour])
    peers.push(peer)
    const { model } = connect(connections(peer.url), provider)
    const { outcome } = await answerTo('Hello?', { model, tools: isWithTools ? searchTools('Hello?') : null })
    return { outcome, asked: peer.requests.length }
  }

  test.each(Object.entries(refusals))('%s', async (_who, [status, message, code = null]) => {
    const body = { error: { message, type: 'invalid_request_error', code } }
    expect(await ask({ kind: 'status', status, body })).toMatchObject({ outcome: filtered, asked: 1 })
  })

  test.each([false, true])('reported within a stream (with tools: %s)', async (isWithTools) => {
    const [, message] = refusals.Azure ?? [0, '']
    expect(await ask({ kind: 'error', words: [], message }, isWithTools)).toMatchObject({ outcome: filtered, asked: 1 })
  })
})

test.each([
  [401, 'Your input was flagged.', 'model_refused_key'],
  [403, 'You do not have access to this model.', 'model_refused_key'],
  [429, 'Your input was flagged too often.', 'model_busy'],
  [500, 'The content filter could not be reached.', 'model_error'],
])('a similar text has another code: %i %s', (statusCode, text, code) => {
  const error = Object.assign(new Error(text), { name: 'AI_APICallError', statusCode })
  expect(failureOf(error).code).toBe(code)
})
