// Model lists of connected servers: parsed, bounded, and without assumptions.
import { afterEach, describe, expect, test } from 'vitest'
import { type FoundModel, findCompatibleModels, findOllamaModels, listOpenRouter } from '../../../worker/chat/catalog/discovery.ts'
import { found } from '../../support/found-models.ts'
import { startJsonServer } from '../../support/peers/json-server.ts'
import { type OllamaPeer, startOllamaPeer } from '../../support/peers/ollama.ts'

const servers: { stop(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

async function ollamaWith(models: { readonly [name: string]: readonly string[] }): Promise<OllamaPeer> {
  const peer = await startOllamaPeer(models)
  servers.push(peer)
  return peer
}

/** A server of the OpenAI protocol whose list can be changed. */
async function serverOf(first: unknown) {
  const answers: Record<string, unknown> = { '/v1/models': first }
  const server = await startJsonServer(answers)
  servers.push(server)
  const list = (next: unknown) => {
    answers['/v1/models'] = next
  }
  return { url: `${server.url}/v1`, list }
}
const named = (ids: readonly string[]) => ({ object: 'list', data: ids.map((id) => ({ id, object: 'model' })) })

const noSlugs: ReadonlySet<string> = new Set()
const slugsOf = (models: readonly FoundModel[] | null) => models?.map(({ slug }) => slug)

describe('an Ollama', () => {
  test('reports the capabilities of each model; embedding models are dropped', async () => {
    const peer = await ollamaWith({
      'llama3.2:latest': ['completion', 'tools'],
      'qwen3:8b': ['completion', 'tools', 'thinking'],
      'gemma3:4b': ['completion', 'vision'],
      'nomic-embed-text:latest': ['embedding'],
    })
    expect(await findOllamaModels({ url: peer.url }, new Set(['llama3.2']))).toEqual([
      found('llama3.2', { capabilities: ['tools'] }),
      found('gemma3:4b', { capabilities: ['vision'] }),
      found('qwen3:8b', { capabilities: ['tools', 'reasoning'] }),
    ])
  })

  test('requests the details of a model once, and again after it was reinstalled', async () => {
    const peer = await ollamaWith({ 'gemma3:4b': ['completion'] })
    const ollama = { url: peer.url }
    await findOllamaModels(ollama, noSlugs)
    await findOllamaModels(ollama, new Set(['gemma3:4b']))
    expect(peer.asked).toEqual(['gemma3:4b'])
    peer.installed.set('gemma3:4b', ['completion', 'vision'])
    expect(await findOllamaModels(ollama, new Set(['gemma3:4b']))).toEqual([found('gemma3:4b', { capabilities: ['vision'] })])
    expect(peer.asked).toHaveLength(2)
  })

  test('repeats a failed details request: meanwhile a new model is left out, and a known one is unchanged', async () => {
    const peer = await ollamaWith({ 'gemma3:4b': ['completion', 'vision'], 'qwen3:8b': ['completion', 'tools'] })
    const ollama = { url: peer.url }
    peer.broken.add('gemma3:4b')
    expect(await findOllamaModels(ollama, noSlugs)).toEqual([found('qwen3:8b', { capabilities: ['tools'] })])
    expect(await findOllamaModels(ollama, new Set(['gemma3:4b']))).toContainEqual({ slug: 'gemma3:4b', details: null })
    peer.broken.clear()
    expect(await findOllamaModels(ollama, noSlugs)).toContainEqual(found('gemma3:4b', { capabilities: ['vision'] }))
  })

  test('retries once when it is busy', async () => {
    const peer = await ollamaWith({ 'llama3.2:latest': ['completion'] })
    peer.mute(1)
    expect(await findOllamaModels({ url: peer.url }, noSlugs, 1000)).toEqual([found('llama3.2')])
    peer.mute(2)
    expect(await findOllamaModels({ url: peer.url }, noSlugs, 1000)).toBeNull()
  })

  test('returns no list when it does not respond', async () => {
    expect(await findOllamaModels({ url: 'http://127.0.0.1:1/v1' }, noSlugs)).toBeNull()
  })
})

describe('a server of the OpenAI protocol', () => {
  test('lists names; a configured list determines which are used', async () => {
    const { url, list } = await serverOf({ data: [{ id: 'my-model' }, { id: 'llava', capabilities: ['vision'] }] })
    const [llava, mine] = [found('llava', { capabilities: ['vision'] }), found('my-model')]
    expect(await findCompatibleModels({ url, apiKey: 'key' }, noSlugs)).toEqual([llava, mine])
    const configured = { url, apiKey: null, models: [' tts-for-talks', 'llava'] }
    expect(await findCompatibleModels(configured, noSlugs)).toEqual([found('tts-for-talks'), llava])
    list({ error: 'busy' })
    expect(await findCompatibleModels(configured, new Set(['llava']))).toEqual([found('tts-for-talks'), { slug: 'llava', details: null }])
  })

  test('has the configured capabilities where its list names none', async () => {
    const { url } = await serverOf({ data: [{ id: 'my-model' }, { id: 'llava', capabilities: ['vision'] }] })
    const server = { url, apiKey: null, capabilities: ['tools'] as const }
    const [mine, llava] = [found('my-model', { capabilities: ['tools'] }), found('llava', { capabilities: ['vision'] })]
    expect(await findCompatibleModels(server, noSlugs)).toEqual([llava, mine])
    expect(await findCompatibleModels({ ...server, models: ['other'] }, noSlugs)).toEqual([found('other', { capabilities: ['tools'] })])
  })

  test('distinguishes an empty list from a missing or invalid response', async () => {
    const { url, list } = await serverOf({ object: 'list', data: null })
    const server = { url, apiKey: null }
    expect(await findCompatibleModels(server, noSlugs)).toEqual([])
    list({ object: 'list' })
    expect(await findCompatibleModels(server, noSlugs)).toBeNull()
    expect(await findCompatibleModels({ url: `${url}/nowhere`, apiKey: null }, noSlugs)).toBeNull()
  })

  test('with more models than the limit keeps known ones, in any order', async () => {
    const ids = Array.from({ length: 130 }, (_, index) => `model-${String(index).padStart(3, '0')}`)
    const { url, list } = await serverOf(named(ids.toReversed()))
    const server = { url, apiKey: null }
    const first = slugsOf(await findCompatibleModels(server, noSlugs))
    expect(first).toEqual(ids.slice(0, 100))
    list(named(['a-new-one', ...ids.slice(50), ...ids.slice(0, 50)]))
    expect(slugsOf(await findCompatibleModels(server, new Set(first)))).toEqual(first)
    list(named(['a-new-one', ...ids.slice(50)]))
    expect(slugsOf(await findCompatibleModels(server, new Set(first)))).toEqual([...ids.slice(50, 100), 'a-new-one', ...ids.slice(100)])
  })
})

test('an invalid entry does not hide the others', async () => {
  const peer = await ollamaWith({ [`hf.co/${'x'.repeat(100)}`]: ['completion'], 'a\u0000b': ['completion'], 'llama3.2': ['completion'] })
  expect(await findOllamaModels({ url: peer.url }, noSlugs)).toEqual([found('llama3.2')])
  expect(await findCompatibleModels({ url: peer.url, apiKey: null }, noSlugs)).toEqual([found('llama3.2')])
  const configured = { url: peer.url, apiKey: null, models: ['x'.repeat(100), 'llama3.2'] }
  expect(await findCompatibleModels(configured, noSlugs)).toEqual([found('llama3.2')])
})

test('a list above the size limit is ignored; OpenRouter’s limit is larger, because it has descriptions', async () => {
  const long = Array.from({ length: 13_000 }, (_, index) => `${index}`.padStart(80, 'x'))
  const { url, list } = await serverOf(named(long))
  expect(await findCompatibleModels({ url, apiKey: null }, noSlugs)).toBeNull()
  expect(await listOpenRouter({ url, apiKey: 'key' })).toHaveLength(long.length)
  list(named([...long, ...long, ...long]))
  expect(await listOpenRouter({ url, apiKey: 'key' })).toBeNull()
  const peer = await ollamaWith(Object.fromEntries(long.map((name) => [name, ['completion']])))
  expect(await findOllamaModels({ url: peer.url }, noSlugs)).toBeNull()
})
