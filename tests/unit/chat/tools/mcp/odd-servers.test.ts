// Servers that do not keep to the protocol: their sound tools are offered, and what a call returned is kept.
import { afterEach, expect, test } from 'vitest'
import { type ServerConnection, withServer } from '../../../../../worker/chat/tools/mcp/connection.ts'
import { must } from '../../../../../worker/lib/assert.ts'
import {
  echoTool,
  type Fault,
  sendRpc,
  startToolServer,
  type ToolServerPeer,
  type ToolServerScript,
} from '../../../../support/peers/tool-server.ts'

let peer: ToolServerPeer
afterEach(() => peer.stop())

const start = async (script: ToolServerScript) => {
  peer = await startToolServer(script)
}

const use = <T>(run: (connection: ServerConnection) => Promise<T>) =>
  withServer({ url: peer.url, credentials: { headers: {} } }, { send: fetch, isLocalAllowed: true }, new AbortController().signal, run)

const callEcho = async (connection: ServerConnection) => {
  const { tools } = await connection.list()
  return connection.call(must(tools[0], 'the peer offers a tool'), { text: 'hi' })
}

/** Answers requests with this method of the protocol with this result. */
const answering =
  (method: string, result: Record<string, unknown>): Fault =>
  ({ rpc }, response) => {
    if (rpc?.method !== method) return false
    sendRpc(response, rpc, { result })
    return true
  }

const schema = { type: 'object' }
const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

test.each([
  // opentokenz/mcpx#28: all tools of the server were lost.
  ['a schema of results without a type', { outputSchema: { description: 'any' } }],
  ['no schema', { inputSchema: undefined }],
  ['a schema without a type', { inputSchema: { anyOf: [{ required: ['text'] }] } }],
  ['a description of null', { description: null }],
  ['a title that is a number', { title: 7 }],
  ['hints that are texts', { annotations: { readOnlyHint: 'yes' } }],
  ['icons that are none', { icons: 'x', _meta: null }],
])('[G26] its tool is offered: %s', async (_, fields) => {
  await start({ tools: () => [echoTool, { name: 'odd', inputSchema: schema, ...fields }] })
  const { tools, unusable } = await use((connection) => connection.list())
  expect(tools.map(({ name, isReadOnly }) => [name, isReadOnly])).toEqual([
    ['echo', true],
    ['odd', false],
  ])
  expect(unusable).toBe(0)
})

test.each<readonly [string, unknown]>([
  ['no tool', null],
  ['no name', { inputSchema: schema }],
  ['a name that is a number', { name: 7, inputSchema: schema }],
  ['a schema that is a text', { name: 'odd', inputSchema: 'text' }],
  ['a schema that allows anything', { name: 'odd', inputSchema: true }],
  ['required arguments that are no list', { name: 'odd', inputSchema: { type: 'object', required: 'a' } }],
  ['a schema of 1,000 levels', { name: 'odd', inputSchema: { type: 'object', properties: { a: { default: deep(1000) } } } }],
])('its other tools are offered: %s', async (_, tool) => {
  await start({ tools: () => [echoTool, tool as Record<string, unknown>] })
  const { tools, unusable } = await use((connection) => connection.list())
  expect(tools.map(({ name }) => name)).toEqual(['echo'])
  expect(unusable).toBe(1)
})

test.each<readonly [string, Record<string, unknown>, number]>([
  ['null instead of a list', { tools: null }, 0],
  ['null after the last page', { tools: [echoTool], nextCursor: null }, 1],
  ['an empty text after the last page', { tools: [echoTool], nextCursor: '' }, 1],
])('its list is read: %s', async (_, result, count) => {
  await start({ fault: answering('tools/list', result) })
  expect((await use((connection) => connection.list())).tools).toHaveLength(count)
})

test('its greeting may have no version and hold other things', async () => {
  const result = {
    ...{ protocolVersion: '2025-06-18', capabilities: { tools: true, prompts: null }, serverInfo: { name: 'Sea' } },
    ...{ instructions: null },
  }
  await start({ fault: answering('initialize', result) })
  expect(await use(async (connection) => [connection.title, (await connection.list()).tools.length])).toEqual(['Sea', 1])
})

const png = 'iVBORw0KGgo='
const text = (value: string) => [{ type: 'text', text: value }]
const image = [{ type: 'image', mediaType: 'image/png', data: png }]

// BerriAI/litellm#36920: a call that was carried out looked as if it had failed.
test.each<readonly [string, Record<string, unknown>, Record<string, unknown>]>([
  ['nothing', {}, { content: [] }],
  ['null', { content: null, structuredContent: null }, { content: [] }],
  ['a text instead of a list', { content: 'done' }, { content: text('done') }],
  ['one part instead of a list', { content: { type: 'text', text: 'done' } }, { content: text('done') }],
  ['a part of an unknown type', { content: [...text('done'), { type: 'video', data: 'x' }] }, { content: text('done'), isCut: true }],
  ['a part without its text', { content: [...text('done'), { type: 'text' }, 7] }, { content: text('done'), isCut: true }],
  // calebl/ynab-mcp-server#31
  [
    'an error of its own type',
    { content: [{ type: 'error', text: 'no such city' }], isError: true },
    { content: text('no such city'), isError: true },
  ],
  ['notes that do not fit', { content: [{ type: 'text', text: 'done', annotations: { priority: 5 } }] }, { content: text('done') }],
  ['an error that is a text', { content: text('no'), isError: 'true' }, { content: text('no'), isError: true }],
  ['structured content that is a list', { content: [], structuredContent: [1, 2] }, { content: text('[1,2]') }],
  [
    'structured content of 2,000 levels',
    { content: text('done'), structuredContent: { a: deep(2000) } },
    { content: text('done'), isCut: true },
  ],
  ['hidden characters', { structuredContent: { 'a\u200b': ['b\u202ec\u{e0041}'] } }, { content: [], data: { a: ['bc'] } }],
  [
    'an image that is not base64',
    { content: [{ type: 'image', mimeType: 'image/png', data: '"><script>' }] },
    { content: [], isCut: true },
  ],
  ['an image that is none', { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] }, { content: [], isCut: true }],
  ['another type of image than it says', { content: [{ type: 'image', mimeType: 'image/jpg', data: png }] }, { content: image }],
  ['a data URL', { content: [{ type: 'image', mimeType: 'image/png', data: `data:image/png;base64,${png}` }] }, { content: image }],
  ['base64 in lines', { content: [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0K\nGgo=' }] }, { content: image }],
  ['an image as a resource', { content: [{ type: 'resource', resource: { uri: 'a://b', blob: `data:x,${png}` } }] }, { content: image }],
  ['a resource of nothing', { content: [{ type: 'resource', resource: { uri: 'a://b' } }] }, { content: [], isCut: true }],
])('what its call returned is kept: %s', async (_, result, output) => {
  await start({ result: () => result })
  expect(await use(callEcho)).toEqual(output)
  expect(peer.called).toHaveLength(1)
})

test('a schema of results with a pattern that would take for ever does not hold up the result', async () => {
  const outputSchema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
  const structuredContent = { a: `${'a'.repeat(60)}!` }
  await start({ tools: () => [{ ...echoTool, outputSchema }], result: () => ({ content: [], structuredContent }) })
  expect(await use(callEcho)).toEqual({ content: [], data: structuredContent })
})

test('[G26] one odd entry of a list loses no other: resources, templates and prompts', async () => {
  await start({
    resources: [
      { uri: 'note://a', name: 'a', title: null, size: 'large', annotations: { priority: 7 } },
      { uri: 7, name: 'b' },
      { name: 'c' },
      null,
    ],
    templates: [
      { uriTemplate: 'note://{id}', name: 'd', mimeType: 3 },
      { uriTemplate: null, name: 'e' },
    ],
    prompts: [{ name: 'p', description: null, arguments: 'none' }, { name: 7 }, 'q'],
  } as unknown as ToolServerScript)
  const { resources, prompts, leftOut } = await use((connection) => connection.list())
  expect(resources?.map(({ uri, title }) => [uri, title])).toEqual([
    ['note://a', 'a'],
    ['note://{id}', 'd'],
  ])
  expect(prompts?.map(({ name, args }) => [name, args])).toEqual([['p', []]])
  expect(leftOut.map(({ kind, count, failure }) => [kind, count, failure])).toEqual([
    ['resource', 4, undefined],
    ['prompt', 2, undefined],
  ])
})

test.each<readonly [string, unknown, unknown]>([
  ['a text', [{ uri: 'note://x/a', text: 'Low', _meta: null }, { uri: 'note://b' }], [['a.txt', 1]]],
  ['a text without an address', [{ text: 'Low' }, 'tide', { uri: 'note://b', text: 7 }], [['Tides.txt', 2]]],
  ['none', null, [['none', 0]]],
])('contents of a resource are kept: %s', async (_, contents, expected) => {
  await start({ resources: [{ uri: 'note://a', name: 'a' }], fault: answering('resources/read', { contents }) })
  const { files, left } = await use((connection) => connection.read('note://a', 'Tides'))
  expect(files.length === 0 ? [['none', left.count]] : files.map(({ name }) => [name, left.count])).toEqual(expected)
})

test('messages of a prompt are kept, whoever they are from', async () => {
  const messages = [
    { role: 'system', content: { type: 'text', text: 'One' } },
    { content: 'Two' },
    { role: 'user', content: { type: 'text', text: 'Three', annotations: 'x' } },
    null,
  ]
  await start({ prompts: [{ name: 'p' }], fault: answering('prompts/get', { messages }) })
  const { text, left } = await use((connection) => connection.prompt('p', {}, 'Tides'))
  expect([text, left.count]).toEqual(['One\n\nThree', 2])
})
