// The title of a thread, requested over both connections: with and without a model that must reason first.
import { describe, expect, test } from 'vitest'
import type { CallOptions } from '../../../worker/chat/model/types.ts'
import { askForTitle } from '../../../worker/chat/turn/title.ts'
import { peersOfTest } from '../../support/peers/peers-of-test.ts'
import { connect, providerConnections } from '../../support/peers/provider-connections.ts'
import { scriptedModel, usage } from '../../support/scripted-model.ts'

const peers = peersOfTest()

async function titleAfter(
  { provider, start, connections }: (typeof providerConnections)[number],
  thoughtTokens: number,
  words = ['"Autumn: ', 'a poem"'],
) {
  const peer = await start(() => ({ kind: 'answer', words, thoughtTokens }))
  peers.push(peer)
  const titleModel = connect(connections(peer.url), provider).small()
  const title = await askForTitle(titleModel.model, 'Write a poem', new AbortController().signal)
  const limits = peer.requests.map(({ body }) => body.maxOutputTokens ?? body.max_tokens)
  return { title, limits, requests: peer.requests }
}

describe.each(providerConnections)('$provider', (way) => {
  test.each([
    ['one that does not think', 0],
    ['one that thinks first', 600],
  ])('%s writes a title in one call', async (_name, thoughtTokens) => {
    const { title, limits, requests } = await titleAfter(way, thoughtTokens)
    expect(title).toBe('Autumn a poem')
    expect(limits).toEqual([1000])
    expect(requests[0]?.streaming).toBe(false)
  })

  test('a title without a cost is accepted', async () => {
    const peer = await way.start(() => ({ kind: 'answer', words: ['Autumn'], usage: 'missing' }))
    peers.push(peer)
    const titleModel = connect(way.connections(peer.url), way.provider).small()
    expect(await askForTitle(titleModel.model, 'Write a poem', new AbortController().signal)).toBe('Autumn')
  })
})

test('only the start of a long question is sent, without half characters', async () => {
  const asked: CallOptions['prompt'][] = []
  const model = scriptedModel({
    doGenerate: async ({ prompt }) => {
      asked.push(prompt)
      return { content: [{ type: 'text', text: 'Tea' }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] }
    },
  })
  expect(await askForTitle(model, `${'x'.repeat(1999)}😀 tea?`, new AbortController().signal)).toBe('Tea')
  expect(asked[0]?.at(-1)).toMatchObject({ content: [{ text: 'x'.repeat(1999) }] })
})

describe('an unknown model', () => {
  const [, compatible] = providerConnections

  test('one that uses all tokens for reasoning is retried once, with less effort and a higher limit', async () => {
    const { title, limits, requests } = await titleAfter(compatible, 1500)
    expect(title).toBe('Autumn a poem')
    expect(limits).toEqual([1000, 4000])
    expect(requests.map(({ body }) => body.reasoning_effort)).toEqual([undefined, 'low'])
  })

  test('one that always uses all tokens is not called a third time', async () => {
    const { title, limits } = await titleAfter(compatible, 1_000_000)
    expect(title).toBeNull()
    expect(limits).toHaveLength(2)
  })

  test('unmarked reasoning that was truncated is no title', async () => {
    const peer = await compatible.start(({ body }) =>
      body.max_tokens === 1000
        ? { kind: 'answer', words: ['Okay, the user ', 'wants'], ends: 'length' }
        : { kind: 'answer', words: ['Okay.</think>', 'Autumn'] },
    )
    peers.push(peer)
    const titleModel = connect(compatible.connections(peer.url), 'compatible', 'deepseek-r1').small()
    expect(await askForTitle(titleModel.model, 'Write a poem', new AbortController().signal)).toBe('Autumn')
  })

  test('one without output is not retried', async () => {
    const { title, limits } = await titleAfter(compatible, 0, [])
    expect(title).toBeNull()
    expect(limits).toHaveLength(1)
  })

  test('one that rejects a limit or an effort is called without it; another refusal is final', async () => {
    const titleOf = async (refused: string) => {
      const peer = await compatible.start(({ body }) =>
        refused in body
          ? { kind: 'status', status: 400, message: `'${refused}' is not supported with this model` }
          : { kind: 'answer', words: ['Autumn'], thoughtTokens: 1500 },
      )
      peers.push(peer)
      const titleModel = connect(compatible.connections(peer.url), 'compatible').small()
      const title = askForTitle(titleModel.model, 'Write a poem', new AbortController().signal).catch(() => 'refused')
      return { title: await title, limits: peer.requests.map(({ body }) => body.max_tokens) }
    }
    expect(await titleOf('max_tokens')).toEqual({ title: 'Autumn', limits: [1000, undefined] })
    expect(await titleOf('reasoning_effort')).toEqual({ title: 'Autumn', limits: [1000, 4000, 4000] })
    expect(await titleOf('messages')).toEqual({ title: 'refused', limits: [1000] })
  })

  test.each([
    ['<think>They want a poem.\n\n</think>\n"Autumn"', 'Autumn'],
    ['They want a poem.\n</think>\n\n"Autumn"', 'Autumn'],
    ['<think>They want a poem and I', null],
  ])('reasoning as text is no title: %j', async (words, title) => {
    expect((await titleAfter(compatible, 0, [words])).title).toBe(title)
  })
})
