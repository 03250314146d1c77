// A server asks the user during a call, by the protocols of 2025 and 2026: what is shown, the call that goes on with the answer, and bad servers.
// Rules: worker/turns/SPEC.md, Y9 to Y11.
import { afterEach, describe, expect, test } from 'vitest'
import { withServer } from '../../../../../worker/chat/tools/mcp/connection.ts'
import type { AskingCall, ResumedCall } from '../../../../../worker/chat/tools/mcp/input-requests.ts'
import { ServerFailure } from '../../../../../worker/chat/tools/mcp/server-failure.ts'
import { ToolFailure } from '../../../../../worker/chat/tools/tool-failure.ts'
import { maxInputFields, maxInputMessageChars, maxInputRounds, maxRequestStateChars } from '../../../../../worker/contract/limits.ts'
import type { ServerToolOutput } from '../../../../../worker/contract/tools/server-output.ts'
import {
  echoTool,
  type Fault,
  sendEvents,
  sendRpc,
  startToolServer,
  type ToolServerPeer,
  type ToolServerScript,
} from '../../../../support/peers/tool-server.ts'

let peer: ToolServerPeer
afterEach(() => peer.stop())

type Json = { readonly [key: string]: unknown }
type Outcome = ServerToolOutput | AskingCall

async function call(resumed?: ResumedCall, hurry = 1): Promise<Outcome> {
  const server = { url: peer.url, credentials: { headers: {} } }
  return withServer(server, { send: fetch, isLocalAllowed: true, hurry }, new AbortController().signal, async (connection) => {
    const [tool] = (await connection.list()).tools
    if (!tool) throw new Error('the peer offers a tool')
    return connection.call(tool, { text: 'hi' }, undefined, resumed)
  })
}

async function asked(resumed?: ResumedCall, hurry?: number): Promise<AskingCall> {
  const outcome = await call(resumed, hurry)
  if (!('asks' in outcome)) throw new Error(`no request: ${JSON.stringify(outcome)}`)
  return outcome
}

const failureOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(JSON.stringify, (thrown: unknown) => thrown)
  return error instanceof ToolFailure || error instanceof ServerFailure ? error.message : String(error)
}

const form = (properties: Json = { city: { type: 'string' } }, message = 'Where to?'): Json => ({
  message,
  requestedSchema: { type: 'object', properties, required: ['city'] },
})
const textIn = (outcome: Outcome) => ('content' in outcome ? outcome.content.map((part) => ('text' in part ? part.text : '')).join() : null)
const answersAsText: ToolServerScript['result'] = (_args, answers) => ({ content: [{ type: 'text', text: JSON.stringify(answers) }] })
const unshown = 'The server asked the user for input in a form that Parley cannot show.'

describe.each([
  ['2025', false],
  ['2026', true],
])('a server of %s', (_year, isModern) => {
  const start = async (script: ToolServerScript) => {
    peer = await startToolServer({ isModern, result: answersAsText, ...script })
  }
  const once = (params: Json): ToolServerScript => ({ asks: (_args, answers) => (answers.length === 0 ? params : null) })

  test('[Y9] the call ends with the form, and the next call goes on with the answer', async () => {
    await start(once(form()))
    const { asks, state } = await asked()
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
    expect(asks).toEqual([{ message: 'Where to?', schema }])
    expect(textIn(await call({ state, answers: [{ city: 'Dover' }] }))).toBe('[{"action":"accept","content":{"city":"Dover"}}]')
    expect(peer.called).toHaveLength(2)
  })

  test('[Y9] a server whose request the user declined learns it', async () => {
    await start(once(form()))
    const { state } = await asked()
    expect(textIn(await call({ state, answers: undefined }))).toBe('[{"action":"decline"}]')
  })

  test('[Y10] several requests follow each other, and each answer is sent to its own', async () => {
    const questions = ['one', 'two', 'two'].map((name) => form({ [name]: { type: 'string' } }, name))
    await start({ asks: (_args, answers) => questions[answers.length] ?? null })
    const first = await asked()
    const second = await asked({ state: first.state, answers: [{ one: '1' }] })
    const third = await asked({ state: second.state, answers: [{ two: '2' }] })
    expect([first, second, third].map(({ asks }) => asks[0]?.message)).toEqual(['one', 'two', 'two'])
    const done = await call({ state: third.state, answers: [{ two: '3' }] })
    expect(JSON.parse(textIn(done) ?? '').map(({ content }: Json) => content)).toEqual([{ one: '1' }, { two: '2' }, { two: '3' }])
  })

  test('[Y10] a server that asks without end fails', async () => {
    await start({ asks: (_args, answers) => form({ city: { type: 'string' } }, `Again ${answers.length}`) })
    let resumed: ResumedCall | undefined
    for (let round = 0; round < maxInputRounds; round++) resumed = { state: (await asked(resumed)).state, answers: [{ city: 'x' }] }
    expect(await failureOf(call(resumed))).toBe('The server asked the user for input too often.')
  })

  test('[Y11] an address is shown as it is opened', async () => {
    await start(once({ mode: 'url', message: 'Log in', url: 'https://Bank.example.org/pay?id=1', elicitationId: 'a' }))
    const { asks, state } = await asked()
    expect(asks).toEqual([{ message: 'Log in', url: 'https://bank.example.org/pay?id=1' }])
    expect(textIn(await call({ state, answers: [{}] }))).toBe('[{"action":"accept"}]')
  })

  const many = Object.fromEntries(Array.from({ length: maxInputFields + 1 }, (_, index) => [`field ${index}`, { type: 'string' }]))
  const bad: readonly (readonly [string, Json, string])[] = [
    ['a nested form', form({ address: { type: 'object', properties: { street: { type: 'string' } } } }), unshown],
    ['a list of objects', form({ list: { type: 'array', items: { type: 'object' } } }), unshown],
    ['too many fields', form(many), unshown],
    ['a field of several types', form({ city: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }), unshown],
    ['a field that refers to itself', form({ city: { anyOf: [{ $ref: '#/properties/city' }, { type: 'null' }] } }), unshown],
    ['no schema', { message: 'What?' }, unshown],
    ['a schema that is no object', { message: 'What?', requestedSchema: { type: 'string' } }, unshown],
    ['a name that nobody can see', form({ 'city\u200b': { type: 'string' } }), unshown],
    ['a name of objects', JSON.parse(JSON.stringify(form()).replace('"city"', '"__proto__"')), unshown],
    ['options that look the same', form({ city: { type: 'string', enum: ['a', 'b'], enumNames: ['Same', 'Sa\u200bme'] } }), unshown],
    ['no options', form({ city: { type: 'string', enum: [] } }), unshown],
    ['1,000 options', form({ city: { type: 'string', enum: Array.from({ length: 1000 }, (_, index) => `${index}`) } }), unshown],
    ['another mode', { ...form(), mode: 'telepathy' }, unshown],
    ...[
      'javascript:alert(1)',
      'data:text/html,x',
      'http://bank.example.org',
      'https://10.0.0.1/',
      'https://u:p@bank.example.org',
      'nonsense',
    ].map(
      (url) =>
        [
          `the address ${url}`,
          { mode: 'url', message: 'Open', url, elicitationId: 'a' },
          'The server asked the user to open an address that is not a public https address.',
        ] as const,
    ),
  ]
  test.each(bad)('%s is a plain failure', async (_name, params, failure) => {
    await start(once(params))
    expect(await failureOf(call())).toBe(failure)
    expect(peer.called).toHaveLength(1)
  })

  test('a message of 1 MB is cut, and nothing in it is invisible', async () => {
    await start(once(form(undefined, `Hello\u202e\u0000${'a'.repeat(1_000_000)}`)))
    const message = (await asked()).asks[0]?.message ?? ''
    expect(message.startsWith('Helloaaa')).toBe(true)
    expect(message.length).toBeLessThanOrEqual(maxInputMessageChars)
  })

  test('every kind of field arrives with its limits, and unusable parts are left out', async () => {
    const properties = {
      city: { type: 'string', title: 'City\n', description: 'Where', minLength: 1, maxLength: 9, default: 'Dover', pattern: '(a+)+$' },
      mail: { type: 'string', format: 'email', default: 3 },
      count: { type: 'integer', minimum: 1, maximum: 'many', default: 2 },
      sure: { type: 'boolean', default: true },
      kind: {
        type: 'string',
        oneOf: [
          { const: 'a', title: 'First' },
          { const: 'b', title: 'Second' },
        ],
        default: 'c',
      },
      some: { type: 'array', items: { anyOf: [{ const: 'x', title: 'Ex' }] }, minItems: 1, default: ['x', 'y'] },
    }
    await start(once(form(properties)))
    const [ask] = (await asked()).asks
    expect(ask && 'schema' in ask && ask.schema.properties).toEqual({
      city: { type: 'string', title: 'City', description: 'Where', minLength: 1, maxLength: 9, default: 'Dover' },
      mail: { type: 'string', format: 'email' },
      count: { type: 'integer', minimum: 1, default: 2 },
      sure: { type: 'boolean', default: true },
      kind: { type: 'string', enum: ['a', 'b'], enumNames: ['First', 'Second'] },
      some: { type: 'array', items: { type: 'string', enum: ['x'], enumNames: ['Ex'] }, minItems: 1, default: ['x'] },
    })
  })

  // modelcontextprotocol/python-sdk#1563: choices are references, and optional fields may be null.
  test('fields that are references or may be null have their form', async () => {
    const $defs = { Fruit: { type: 'string', enum: ['pear', 'apple'], title: 'Fruit' } }
    const properties = {
      city: { anyOf: [{ type: 'string', maxLength: 9 }, { type: 'null' }], default: null, title: 'City' },
      count: { type: ['integer', 'null'] },
      fruit: { $ref: '#/$defs/Fruit' },
      second: { anyOf: [{ $ref: '#/$defs/Fruit' }, { type: 'null' }], title: 'Second' },
    }
    await start(once({ message: 'What?', requestedSchema: { type: 'object', properties, $defs, required: ['fruit'] } }))
    const [ask] = (await asked()).asks
    expect(ask && 'schema' in ask && ask.schema).toMatchObject({
      properties: {
        city: { type: 'string', maxLength: 9, title: 'City' },
        count: { type: 'integer' },
        fruit: { type: 'string', enum: ['pear', 'apple'], title: 'Fruit' },
        second: { type: 'string', enum: ['pear', 'apple'], title: 'Second' },
      },
      required: ['fruit'],
    })
  })

  // PrefectHQ/fastmcp#3910
  test('[Y9] a request without fields asks for a yes or no', async () => {
    await start(once({ message: 'Buy it?', requestedSchema: { type: 'object', properties: {} } }))
    const { asks, state } = await asked()
    expect(asks).toEqual([{ message: 'Buy it?', schema: { type: 'object', properties: {}, required: [], additionalProperties: false } }])
    expect(textIn(await call({ state, answers: [{}] }))).toBe('[{"action":"accept","content":{}}]')
  })

  test('a result that does not fit the schema of its tool is not used, also after a request', async () => {
    const outputSchema = { type: 'object', properties: { high: { type: 'number' } }, required: ['high'] }
    await start({ ...once(form()), tools: () => [{ ...echoTool, outputSchema }], result: () => ({ content: [], structuredContent: {} }) })
    const { state } = await asked()
    await expect(call({ state, answers: [{ city: 'Dover' }] })).rejects.toMatchObject({ code: 'result_form' })
  })
})

const at =
  (method: string, respond: (response: Parameters<Fault>[1], rpc: NonNullable<Parameters<Fault>[0]['rpc']>) => void): Fault =>
  ({ rpc }, response) => {
    if (rpc?.method !== method) return false
    respond(response, rpc)
    return true
  }

describe('2025', () => {
  const elicitation = { jsonrpc: '2.0', id: 'ask', method: 'elicitation/create', params: form() }

  test('a server that ignores the answer is told that the call is cancelled', async () => {
    peer = await startToolServer({ fault: at('tools/call', (response) => sendEvents(response, elicitation)) })
    await asked(undefined, 0.05)
    await expect.poll(() => peer.hits.some(({ rpc }) => rpc?.method === 'notifications/cancelled')).toBe(true)
  })

  test('an address that the call needs can come as its error', async () => {
    const error = {
      code: -32042,
      message: 'Log in',
      data: { elicitations: [{ mode: 'url', message: 'Log in', url: 'https://a.example.org/' }] },
    }
    peer = await startToolServer({ fault: at('tools/call', (response, rpc) => sendRpc(response, rpc, { error })) })
    expect((await asked()).asks).toEqual([{ message: 'Log in', url: 'https://a.example.org/' }])
  })

  test.each([
    ['no addresses', []],
    ['no list', 'https://a.example.org'],
    ['a list of nonsense', [1, null]],
  ])('an error with %s is a plain failure', async (_name, elicitations) => {
    const error = { code: -32042, message: 'Log in', data: { elicitations } }
    peer = await startToolServer({ fault: at('tools/call', (response, rpc) => sendRpc(response, rpc, { error })) })
    expect(await failureOf(call())).toBe(unshown)
  })
})

describe('2026', () => {
  const answering = (result: Json): Fault => at('tools/call', (response, rpc) => sendRpc(response, rpc, { result }))

  test('several requests of one result are one form, and each gets its answer', async () => {
    const request = (message: string) => ({ method: 'elicitation/create', params: form(undefined, message) })
    const inputRequests = { 'a b': request('One'), c: request('Two') }
    peer = await startToolServer({
      isModern: true,
      fault: ({ rpc }, response) => {
        if (rpc?.method !== 'tools/call' || rpc.params?.inputResponses) return false
        sendRpc(response, rpc, { result: { resultType: 'input_required', inputRequests, requestState: '[]' } })
        return true
      },
    })
    const { asks, state } = await asked()
    expect(asks.map(({ message }) => message)).toEqual(['One', 'Two'])
    await call({ state, answers: [{ city: 'x' }, { city: 'y' }] })
    const sent = peer.hits.at(-1)?.rpc?.params
    expect(sent?.inputResponses).toEqual({
      'a b': { action: 'accept', content: { city: 'x' } },
      c: { action: 'accept', content: { city: 'y' } },
    })
    expect(sent?.requestState).toBe('[]')
  })

  test('a call that goes on has another id than the call before', async () => {
    peer = await startToolServer({ isModern: true, asks: (_args, answers) => (answers.length === 0 ? form() : null) })
    const { state } = await asked()
    await call({ state, answers: [{ city: 'x' }] })
    const ids = peer.hits.flatMap(({ rpc }) => (rpc?.method === 'tools/call' ? [rpc.id] : []))
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(2)
  })

  test('a result without a type is complete', async () => {
    peer = await startToolServer({ isModern: true, fault: answering({ content: [{ type: 'text', text: 'done' }] }) })
    expect(await call()).toEqual({ content: [{ type: 'text', text: 'done' }] })
  })

  test.each([
    ['a request for a model', { inputRequests: { a: { method: 'sampling/createMessage', params: {} } } }],
    [
      'more requests than a form has',
      { inputRequests: Object.fromEntries([1, 2, 3, 4, 5].map((key) => [key, { method: 'elicitation/create', params: form() }])) },
    ],
    ['a request that is no object', { inputRequests: { a: 'x' } }],
    [
      'a large state',
      { inputRequests: { a: { method: 'elicitation/create', params: form() } }, requestState: 'x'.repeat(maxRequestStateChars + 1) },
    ],
  ])('%s is a plain failure', async (_name, result) => {
    peer = await startToolServer({ isModern: true, fault: answering({ resultType: 'input_required', ...result }) })
    expect(await failureOf(call())).toBe(unshown)
  })

  test('a server that only wants the call again, again and again, fails', async () => {
    peer = await startToolServer({ isModern: true, fault: answering({ resultType: 'input_required', requestState: 'later' }) })
    expect(await failureOf(call())).toBe('The server sent something unreadable.')
    expect(peer.hits.filter(({ rpc }) => rpc?.method === 'tools/call')).toHaveLength(maxInputRounds)
  })
})
