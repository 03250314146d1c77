// Resources and prompts of servers that lie, send too much or name things with hidden characters, with D1 and peers on loopback.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SuggestedArgument } from '../../../../../worker/chat/tools/mcp/connection.ts'
import { addServer, type Manager, refreshServer } from '../../../../../worker/chat/tools/mcp/manage-servers.ts'
import { readPrompt, readResource, suggestValues } from '../../../../../worker/chat/tools/mcp/use-servers.ts'
import {
  maxFilesPerMessage,
  maxMessageChars,
  maxNamedLeftOut,
  maxPromptLinks,
  maxPromptsPerServer,
  maxResourcesPerServer,
  maxServerArgumentChars,
  maxSuggestions,
} from '../../../../../worker/contract/limits.ts'
import { newId } from '../../../../../worker/db/new-id.ts'
import { readToolServer } from '../../../../../worker/db/tool-servers.ts'
import { createNodeD1, type NodeD1 } from '../../../../support/node-d1.ts'
import { sendRpc, startToolServer, type ToolServerPeer, type ToolServerScript } from '../../../../support/peers/tool-server.ts'
import { squareOf } from '../../../../support/sample-files.ts'

let DB: NodeD1
let userId = ''
let stops: (() => Promise<void>)[] = []
beforeEach(() => {
  DB = createNodeD1()
  userId = newId()
})
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()))
  stops = []
})

const managerOf = (changes: Partial<Manager> = {}): Manager => ({
  env: { DB },
  authSecret: 'a secret of the tests that is long enough',
  owner: userId,
  egress: { send: fetch, isLocalAllowed: true },
  nowMs: Date.now(),
  ...changes,
})

async function added(script: ToolServerScript): Promise<{ readonly id: string; readonly peer: ToolServerPeer }> {
  const peer = await startToolServer(script)
  stops.push(peer.stop)
  const id = newId()
  expect(await addServer(managerOf(), { id, url: peer.url, name: '', headers: {} })).toBeNull()
  return { id, peer }
}
const rowOf = async (id: string) => {
  const row = await readToolServer({ DB }, userId, id)
  if (!row) throw new Error('the server is stored')
  return row
}
const noteNamed = (name: string) => ({ uri: `note://${name}`, name })
const bytes = (content: Uint8Array | string) => Buffer.from(content).toString('base64')

describe('[G27] lists', () => {
  test('of 10,000 resources in one list, the first are kept, and the others are counted and named', async () => {
    const { id } = await added({ resources: Array.from({ length: 10_000 }, (_, index) => noteNamed(`n${index}`)) })
    const { resources, leftOut } = await rowOf(id)
    expect(resources).toHaveLength(maxResourcesPerServer)
    expect(leftOut).toEqual([{ kind: 'resource', count: 10_000 - maxResourcesPerServer, names: expect.arrayContaining(['n200', 'n209']) }])
    expect(leftOut?.[0]?.names).toHaveLength(maxNamedLeftOut)
  })

  test('of a list without end, only the first pages are read', async () => {
    const { id, peer } = await added({ resources: Array.from({ length: 10_000 }, (_, index) => noteNamed(`n${index}`)), pageSize: 10 })
    expect((await rowOf(id)).resources).toHaveLength(80)
    expect(peer.hits.filter(({ rpc }) => rpc?.method === 'resources/list')).toHaveLength(8)
  })

  test('an address that is a program or hides characters cannot be used; a title is shown without its hidden characters', async () => {
    const bad = [
      'javascript:alert(1)',
      'data:text/html,x',
      'JavaScript:x',
      'no address',
      'note://a\u202Eb',
      'note://a b',
      `note://${'x'.repeat(1000)}`,
    ]
    const { id } = await added({
      resources: [
        ...bad.map((uri, index) => ({ uri, name: `bad ${index}` })),
        { uri: 'note://1', name: 'a\u202Eb\u0007\nc', description: 'x\u200By' },
      ],
      templates: [
        { uriTemplate: 'note://{id}{?page}', name: 'Note' },
        { uriTemplate: '{scheme}://x', name: 'no scheme' },
        { uriTemplate: 'note://{unclosed', name: 'unclosed' },
      ],
    })
    const { resources, leftOut } = await rowOf(id)
    expect(resources).toEqual([
      { uri: 'note://1', name: 'ab c', title: 'ab c', description: 'xy' },
      {
        ...{ uri: 'note://{id}{?page}', name: 'Note', title: 'Note', description: '' },
        args: [
          { name: 'id', title: 'id', description: '', isRequired: true },
          { name: 'page', title: 'page', description: '', isRequired: false },
        ],
      },
    ])
    expect(leftOut).toMatchObject([{ kind: 'resource', count: bad.length + 2 }])
    expect(leftOut?.[0]?.names).toEqual(expect.arrayContaining(['bad 0', 'no scheme', 'unclosed']))
  })

  test('a prompt whose name hides characters cannot be used, nor more than the limit, nor one of two with one name', async () => {
    const many = Array.from({ length: maxPromptsPerServer }, (_, index) => ({ name: `p${index}` }))
    const { id } = await added({
      prompts: [{ name: 'a\u202Eb' }, { name: 'p0', arguments: [{ name: 'b\u0000' }] }, ...many, { name: 'p1' }, { name: 'more' }],
    })
    const { prompts, leftOut } = await rowOf(id)
    expect(prompts).toHaveLength(maxPromptsPerServer)
    expect(leftOut).toEqual([{ kind: 'prompt', count: 4, names: ['ab', 'p0', 'p1', 'more'] }])
  })

  test.each([
    ['that fails', 'error', (response: Parameters<NonNullable<ToolServerScript['fault']>>[1]) => !!response.writeHead(500).end()],
    ['that never comes', 'timeout', () => true],
  ])('a list %s costs no tools, and keeps the list before', async (_, code, answer) => {
    let isBad = false
    const { id } = await added({
      fault: ({ rpc }, response) => isBad && rpc?.method === 'resources/list' && answer(response),
      resources: [noteNamed('a')],
      prompts: [{ name: 'p' }],
    })
    isBad = true
    const egress = { send: fetch, isLocalAllowed: true, hurry: 0.1 }
    expect(await refreshServer(managerOf({ egress }), id)).toMatchObject({ state: 'ready' })
    const { tools, resources, prompts, leftOut } = await rowOf(id)
    expect([tools.length, resources?.length, prompts?.length]).toEqual([1, 1, 1])
    expect(leftOut).toEqual([{ kind: 'resource', count: 0, names: [], failure: code }])
  })

  test('a server without resources and prompts has neither', async () => {
    const { id, peer } = await added({})
    expect(await rowOf(id)).toMatchObject({ resources: [], prompts: [], leftOut: [] })
    expect(peer.hits.flatMap(({ rpc }) => rpc?.method ?? [])).not.toContain('resources/list')
  })
})

describe('[G27] reading', () => {
  test('each content becomes a file with a plain name; its bytes decide its type, not what the server names', async () => {
    const png = bytes(squareOf(8, 'black'))
    const { id } = await added({
      resources: [noteNamed('a')],
      read: (uri) => [
        { uri, mimeType: 'text/plain', blob: png },
        { uri: 'note://x/page', mimeType: 'image/png', blob: bytes('<script>') },
        { uri: 'note://x/letter%2F..%2Fa\u202Etxt.md', text: 'Hi\u202E\u0000' },
        { uri: 'note://x', mimeType: 'application/json', text: '{}' },
        { uri: 'note://x', mimeType: 'application/x-unknown-thing', text: 'x' },
        { uri: 'note://x', blob: 'no base64!' },
        { uri: 'note://x/sixth', text: 'x' },
      ],
    })
    const body = await readResource(managerOf(), id, 'note://a', {})
    expect(body?.parts).toEqual({
      text: '',
      files: [
        { name: 'a.png', data: png },
        { name: 'page.txt', data: bytes('<script>') },
        { name: 'atxt.md', text: 'Hi' },
        { name: 'a.json', text: '{}' },
        { name: 'a.txt', text: 'x' },
      ],
      left: { count: 2, names: ['a', 'sixth.txt'] },
    })
    expect(body?.parts?.files).toHaveLength(maxFilesPerMessage)
  })

  test('a resource of 50 MB is not read to its end', async () => {
    const { id, peer } = await added({ resources: [noteNamed('a')], read: (uri) => [{ uri, text: 'x'.repeat(50 * 1024 * 1024) }] })
    expect(await readResource(managerOf(), id, 'note://a', {})).toEqual({ failure: 'too_large' })
    await expect.poll(() => peer.abandoned()).toBeGreaterThan(0)
  })

  test('values are encoded into the address of a template, and a value that makes no address is refused', async () => {
    const { id, peer } = await added({
      templates: [
        { uriTemplate: 'note://{id}', name: 'Note' },
        { uriTemplate: 'note://x/{+path}', name: 'Path' },
      ],
    })
    const read = async (uri: string, args: Record<string, string>) => (await readResource(managerOf(), id, uri, args))?.parts?.files[0]
    expect(await read('note://{id}', { id: 'a/b c', other: 'x' })).toMatchObject({ text: 'The text of note://a%2Fb%20c' })
    const before = peer.hits.length
    expect(await readResource(managerOf(), id, 'note://{id}', { id: 'x'.repeat(1000) })).toBeNull()
    expect(peer.hits.length).toBe(before)
  })

  test('only what the server listed is read, and only for its owner', async () => {
    const { id, peer } = await added({ resources: [noteNamed('a')], prompts: [{ name: 'p' }] })
    const before = peer.hits.length
    const stranger = managerOf({ owner: newId() })
    expect(await readResource(stranger, id, 'note://a', {})).toBeNull()
    expect(await readPrompt(stranger, id, 'p', {})).toBeNull()
    expect(await readResource(managerOf(), id, 'note://b', {})).toBeNull()
    expect(await readPrompt(managerOf(), id, 'q', {})).toBeNull()
    expect(peer.hits.length).toBe(before)
  })

  test('the texts of a prompt are joined, its files and what cannot be inserted follow', async () => {
    const png = bytes(squareOf(8, 'black'))
    const content = [
      { type: 'text', text: 'One\u202E' },
      { type: 'image', mimeType: 'image/png', data: png },
      { type: 'resource', resource: { uri: 'note://x/letter.md', text: 'Dear' } },
      { type: 'resource_link', uri: 'note://y', name: 'linked' },
      { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
      { type: 'text', text: 'Two' },
    ]
    const { id } = await added({
      prompts: [{ name: 'p', title: 'Letter' }],
      prompt: () => content.map((one) => ({ role: 'user', content: one })),
    })
    expect((await readPrompt(managerOf(), id, 'p', {}))?.parts).toEqual({
      text: 'One\n\nTwo',
      files: [
        { name: 'Letter.png', data: png },
        { name: 'letter.md', text: 'Dear' },
        { name: 'linked.txt', text: 'The text of note://y' },
      ],
      left: { count: 1, names: ['audio/wav'] },
    })
  })

  test('the resources that a prompt links to are read as files; the others are named', async () => {
    const link = (uri: string, name = uri) => ({ role: 'user', content: { type: 'resource_link', uri, name } })
    const many = Array.from({ length: maxPromptLinks }, (_, index) => link(`note://x/${index}.txt`))
    const { id, peer } = await added({
      fault: ({ rpc }, response) => {
        if (rpc?.method !== 'resources/read' || rpc.params?.uri !== 'note://x/gone') return false
        sendRpc(response, rpc, { error: { code: -32002, message: 'Resource not found' } })
        return true
      },
      resources: [noteNamed('a')],
      prompts: [{ name: 'p' }],
      prompt: () => [
        link('note://x/a.txt'),
        link('javascript:alert(1)', 'script'),
        link('note://x/a.txt'),
        link('note://x/gone', 'gone'),
        ...many,
      ],
    })
    const { parts } = (await readPrompt(managerOf(), id, 'p', {})) ?? {}
    const read = peer.hits.flatMap(({ rpc }) => (rpc?.method === 'resources/read' ? [rpc.params?.uri] : []))
    expect(read).toEqual(['note://x/a.txt', 'note://x/gone', 'note://x/0.txt', 'note://x/1.txt'])
    expect(parts).toEqual({
      text: '',
      files: ['a.txt', '0.txt', '1.txt'].map((name) => ({ name, text: `The text of note://x/${name}` })),
      left: { count: 5, names: ['script', 'gone', 'note://x/2.txt', 'note://x/3.txt', 'note://x/4.txt'] },
    })
  })

  test('suggestions are visible, different and few, for an argument of the offer and its owner', async () => {
    const asked: unknown[] = []
    const many = Array.from({ length: 60 }, (_, index) => `Kiel ${index}`)
    const { id, peer } = await added({
      prompts: [{ name: 'p', arguments: [{ name: 'city', required: true }, { name: 'state' }] }],
      templates: [{ uriTemplate: 'note://{id}', name: 'Note' }],
      complete: (params) => {
        asked.push(params)
        return ['Kiel', 'Kiel', 'Ki\u202Eel', '', 'x'.repeat(maxServerArgumentChars + 1), ...many]
      },
    })
    const suggest = (of: Partial<SuggestedArgument>, manager = managerOf()) =>
      suggestValues(manager, id, { kind: 'prompt', key: 'p', argument: { name: 'city', value: 'Ki' }, args: {}, ...of })
    const body = await suggest({ args: { city: 'Ki', state: 'Holstein', other: 'x' } })
    expect(body?.suggestions?.values).toEqual(['Kiel', ...many].slice(0, maxSuggestions))
    await suggest({ kind: 'resource', key: 'note://{id}', argument: { name: 'id', value: '' } })
    expect(asked).toEqual([
      { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'city', value: 'Ki' }, context: { arguments: { state: 'Holstein' } } },
      { ref: { type: 'ref/resource', uri: 'note://{id}' }, argument: { name: 'id', value: '' }, context: { arguments: {} } },
    ])
    const before = peer.hits.length
    expect(await suggest({ argument: { name: 'country', value: '' } })).toBeNull()
    expect(await suggest({ key: 'q' })).toBeNull()
    expect(await suggest({}, managerOf({ owner: newId() }))).toBeNull()
    expect(peer.hits.length).toBe(before)
  })

  test('a server without completions has no suggestions', async () => {
    const { id } = await added({ prompts: [{ name: 'p', arguments: [{ name: 'city' }] }] })
    const of = { kind: 'prompt', key: 'p', argument: { name: 'city', value: '' }, args: {} } as const
    expect(await suggestValues(managerOf(), id, of)).toEqual({ suggestions: null })
  })

  test('a prompt of 1 MB is not inserted in part', async () => {
    const text = 'x'.repeat(1024 * 1024)
    const { id } = await added({ prompts: [{ name: 'p' }], prompt: () => [{ role: 'user', content: { type: 'text', text } }] })
    expect(text.length).toBeGreaterThan(maxMessageChars)
    expect(await readPrompt(managerOf(), id, 'p', {})).toEqual({ failure: 'too_large' })
  })

  test('only arguments that the prompt asks for are sent', async () => {
    const asked: unknown[] = []
    const { id } = await added({
      prompts: [{ name: 'p', arguments: [{ name: 'city', required: true }, { name: 'state' }] }],
      prompt: (params) => {
        asked.push(params.arguments)
        return []
      },
    })
    await readPrompt(managerOf(), id, 'p', { city: 'Kiel', state: '', other: 'x' })
    expect(asked).toEqual([{ city: 'Kiel' }])
  })

  test('a server that wants a login again says so in its row', async () => {
    let isLoggedOut = false
    const { id } = await added({ fault: (_, response) => isLoggedOut && !!response.writeHead(401).end(), resources: [noteNamed('a')] })
    isLoggedOut = true
    expect(await readResource(managerOf(), id, 'note://a', {})).toEqual({ failure: 'refused' })
    expect(await rowOf(id)).toMatchObject({ state: 'login', failure: 'refused' })
  })

  test('an error of the server is a failure with a sentence', async () => {
    const { id } = await added({
      fault: ({ rpc }, response) => {
        if (rpc?.method !== 'resources/read') return false
        sendRpc(response, rpc, { error: { code: -32002, message: 'Resource not found' } })
        return true
      },
      resources: [noteNamed('a')],
    })
    expect(await readResource(managerOf(), id, 'note://a', {})).toEqual({ failure: 'error' })
  })
})
