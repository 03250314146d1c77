// Invalid input and access to other users' rows over the sync socket of the running product. Rules: worker/sync/SPEC.md.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Guest, newGuest } from '../support/guest.ts'
import { type Product, startProduct } from '../support/product.ts'
import { expectCleanLog } from './attack-log.ts'
import { type Body, connectRaw, freshId, openRaw, queries, type RawClient, type RawOptions, sendArgs, subProtocol } from './attack-wire.ts'

const secretText = 'heron-under-the-bridge'

let product: Product
let ada: Guest
let eve: Guest
/** Ada is the attacked user; she has a thread with an answer. */
let adaWire: RawClient
const adas = sendArgs({ text: `/demo chunks=1 delay=0 ${secretText}` })

const ready = (wire: RawClient, threadId: string) => wire.until(() => wire.rows.get(`thread ${threadId}`)?.status === 'ready', 'ready')
const codeOf = async (refused: ReturnType<RawClient['mutate']>) => (await refused)?.details?.code ?? null

beforeAll(async () => {
  product = await startProduct()
  ada = await newGuest(product.url)
  eve = await newGuest(product.url)
  adaWire = await connectRaw(ada, { queries })
  expect(await adaWire.mutate('threads.send', adas)).toBeNull()
  await ready(adaWire, adas.threadId)
})
afterAll(async () => product?.stop())

const origins = [
  ...['https://evil.example', 'null', 'x', 'http://', 'file://', 'data:', 'chrome-extension://x', 'http://localhost', 'http://localhost:1'],
  ...['http://0.0.0.0', 'http://[::1]', 'ws://evil.example', 'http://localhost.evil.example', 'http://evil.example#localhost'],
]

test('[C1] refuses foreign origins', async () => {
  const { host, port } = new URL(product.url)
  const tricky = [`http://${host}.evil.example`, `http://evil.example/${host}`, `http://${host}@evil.example`, `http://127.0.0.1:${port}`]
  for (const origin of [...origins, ...tricky]) {
    const wire = await openRaw(eve, { headers: { origin } })
    await wire.settled()
    expect([wire.errorKind, wire.closed?.code], origin).toEqual(['InvalidConnectionRequest', 1000])
  }
  const wire = await connectRaw(eve, { headers: { origin: product.url } })
  await wire.close()
})

const bad = 'InvalidConnectionRequest'
const doors: readonly (readonly [name: string, kind: string, options: () => RawOptions])[] = [
  ['another version', 'VersionNotSupported', () => ({ path: '/sync/v50/connect' })],
  ['version 0', 'VersionNotSupported', () => ({ path: '/sync/v0/connect' })],
  ['no sub-protocol', 'Unauthorized', () => ({ protocol: null })],
  ...['garbage', '%E0%A4%A', subProtocol([]), subProtocol({ authToken: 1 }), encodeURIComponent(btoa('['.repeat(5000)))].map(
    (protocol) => [`sub-protocol ${protocol.slice(0, 20)}`, bad, () => ({ protocol })] as const,
  ),
  ['an init of another shape', bad, () => ({ init: { desiredQueriesPatch: 'x' } })],
  ['no schema', bad, () => ({ init: { desiredQueriesPatch: [] } })],
  ...[null, '', 'a b', '😀', 'a'.repeat(129)].map((clientID) => [`clientID ${clientID}`, bad, () => ({ params: { clientID } })] as const),
  ...[null, '', '-1', '1e9', 'NaN', '1'.repeat(16)].map((lmid) => [`lmid ${lmid}`, bad, () => ({ params: { lmid } })] as const),
  ['a long wsid', bad, () => ({ params: { wsid: 'x'.repeat(129) } })],
  ['mutations that were never made', 'InvalidConnectionRequestLastMutationID', () => ({ params: { lmid: '9' } })],
  ['an empty userID', 'Unauthorized', () => ({ params: { userID: '' } })],
  ['the userID of another', 'Unauthorized', () => ({ params: { userID: ada.userId } })],
  ['a cookie that was never issued', 'ClientNotFound', () => ({ params: { baseCookie: '00' } })],
  ['a foreign cookie and confirmed mutations', 'ClientNotFound', () => ({ params: { baseCookie: adaWire.cookie, lmid: '1' } })],
  [
    'a cookie of a foreign group and client',
    'ClientNotFound',
    () => ({ params: { clientGroupID: adaWire.groupID, clientID: adaWire.clientID, baseCookie: adaWire.cookie, lmid: '1' } }),
  ],
  [
    'tables we do not have',
    'SchemaVersionNotSupported',
    () => ({
      init: { desiredQueriesPatch: [], clientSchema: JSON.parse('{"tables":{"__proto__":{"columns":{}},"constructor":{"columns":{}}}}') },
    }),
  ],
]

test.each(doors)('%s is refused', async (_name, kind, options) => {
  const wire = await openRaw(eve, options())
  await wire.settled()
  expect([wire.errorKind, wire.closed?.code, wire.frames.length]).toEqual([kind, 1000, 1])
})

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const put = (changes: Body) => ['changeDesiredQueries', { desiredQueriesPatch: [{ op: 'put', hash: freshId('q'), ...changes }] }]
/** Frames that end the connection, with the error kind; null: the connection stays. */
const frames: readonly (readonly [name: string, kind: string | null, frame: (wire: RawClient) => unknown])[] = [
  ...['hello', '', 'null', '1e999', '{}', '["ping"]', '["ping",{},1]', '["__proto__",{}]', '["constructor",{}]', nested(400_000)].map(
    (text) => [text.slice(0, 20), 'InvalidMessage', () => text] as const,
  ),
  ['a nested tag', 'InvalidMessage', () => `[${nested(300_000)},{}]`],
  ['a nested body', 'InvalidMessage', () => `["ping",${nested(300_000)}]`],
  ['a binary frame', 'InvalidMessage', () => new Uint8Array([1, 2, 3])],
  ['1 MiB and a byte', '1009', () => JSON.stringify(['ping', { x: 'a'.repeat(1024 * 1024 - 16) }])],
  ...[null, [], { clientGroupID: 1 }].map((body) => [`push ${JSON.stringify(body)}`, 'InvalidMessage', () => ['push', body]] as const),
  ...[-1, 0, 1.5, 1e300, '1', null].map(
    (id) => [`mutation id ${id}`, 'InvalidMessage', (wire: RawClient) => wire.pushFrame([{ ...wire.mutation(1, 'x', 1), id }])] as const,
  ),
  ...[2, 99, Number.MAX_SAFE_INTEGER].map(
    (id) => [`a gap before ${id}`, 'PushFailed', (wire: RawClient) => wire.pushFrame([wire.mutation(id, 'settings.update', {})])] as const,
  ),
  ['1001 mutations', 'InvalidMessage', (wire) => wire.pushFrame(Array.from({ length: 1001 }, (_, i) => wire.mutation(i + 1, 'x', 1)))],
  ['a push for a foreign group', 'InvalidPush', (wire) => wire.pushFrame([wire.mutation(1, 'x', 1)], adaWire.groupID)],
  ['a nameless mutation', 'InvalidPush', (wire) => wire.pushFrame([{ ...wire.mutation(1, 'x', 1), type: 'crud' }])],
  ['a second init', 'InvalidMessage', () => ['initConnection', { desiredQueriesPatch: [] }]],
  ['an ack of nothing', null, (wire) => ['ackMutationResponses', { clientID: wire.clientID, id: Number.MAX_SAFE_INTEGER }]],
  ['a foreign ack', null, () => ['ackMutationResponses', { clientID: adaWire.clientID, id: 99 }]],
  ['the end of a foreign client', null, () => ['deleteClients', { clientIDs: [adaWire.clientID, '__proto__'] }]],
  ['an unknown patch', 'InvalidMessage', () => ['changeDesiredQueries', { desiredQueriesPatch: [{ op: 'evil' }] }]],
  ['an AST', null, () => put({ ast: { table: 'user' } })],
  ...['__proto__', 'constructor', 'threads', 'me.fn', ''].map((name) => [`query ${name}`, null, () => put({ name, args: [] })] as const),
  ...[null, 1, [], { limit: -1 }, { limit: 1e9 }, { limit: '5' }].map(
    (args) => [`list ${JSON.stringify(args)}`, null, () => put({ name: 'threads.list', args: [args] })] as const,
  ),
  ['900 KB of arguments', null, () => put({ name: 'me', args: ['x'.repeat(900_000)] })],
  ['nested arguments', null, () => JSON.stringify(put({ name: 'me', args: ['?'] })).replace('"?"', nested(200_000))],
  // The last one, because its pong would be taken for the pong of the next `settled`.
  ['just 1 MiB', null, () => JSON.stringify(['ping', { x: 'a'.repeat(1024 * 1024 - 17) }])],
]
const answeredByTransformError = /^(an AST|query|list|900 KB|nested arguments)/

const [closing, harmless] = [false, true].map((isHarmless) => frames.filter(([, kind]) => (kind === null) === isHarmless))

test.each(closing ?? [])('%s ends the connection with %s', async (_name, kind, frame) => {
  // One user may not connect this many new client groups (R10).
  const wire = await connectRaw(await newGuest(product.url))
  wire.send(frame(wire))
  await wire.settled()
  expect(wire.closed?.code === 1009 ? '1009' : wire.errorKind).toBe(kind)
})

test('harmless frames, one after another, keep the connection', async () => {
  const wire = await connectRaw(await newGuest(product.url), { queries })
  for (const [name, , frame] of harmless ?? []) {
    const before = wire.frames.length
    wire.send(frame(wire))
    await wire.settled()
    expect([wire.errorKind, wire.closed], name).toEqual([null, null])
    const hasFailed = wire.frames.slice(before).some(([tag]) => tag === 'transformError')
    expect(hasFailed, name).toBe(answeredByTransformError.test(name))
  }
  await wire.close()
})

test("a pull for another user's group returns nothing", async () => {
  const wire = await connectRaw(eve)
  wire.send(['pull', { clientGroupID: adaWire.groupID, cookie: null, requestID: 'x' }])
  await wire.settled()
  expect(wire.frames.find(([tag]) => tag === 'pull')?.[1].lastMutationIDChanges).toEqual({})
  await wire.close()
})

describe('mutations', () => {
  test('[A7] with a taken id are refused for every owner of the id, and leave no thread pending', async () => {
    const wire = await connectRaw(eve, { queries })
    const mine = sendArgs()
    expect(await wire.mutate('threads.send', mine)).toBeNull()
    await ready(wire, mine.threadId)
    const same = freshId('message')
    const taken = [
      ...[{ threadId: adas.threadId }, { messageId: adas.messageId }, { messageId: adas.answerId }, { answerId: adas.answerId }],
      ...[{ messageId: mine.messageId }, { messageId: mine.answerId }, { threadId: mine.threadId, messageId: mine.answerId }],
      ...[{ answerId: mine.answerId }, { answerId: mine.messageId }, { messageId: same, answerId: same }],
      ...[{ answerId: adas.messageId }, { compareWith: [{ answerId: adas.messageId, modelId: 'gpt-4o-mini' }] }],
    ]
    for (const ids of taken) expect(await codeOf(wire.mutate('threads.send', sendArgs(ids))), JSON.stringify(ids)).toBe('invalid_request')
    expect(await wire.mutate('threads.delete', { threadIds: [mine.threadId], at: 1 })).toBeNull()
    expect(await codeOf(wire.mutate('threads.send', sendArgs({ threadId: mine.threadId })))).toBe('not_found')
    await wire.close()
  })

  test('with invalid arguments or names are refused with a reason', async () => {
    const wire = await connectRaw(await newGuest(product.url), { queries })
    const sends: readonly (readonly [Body, string | null])[] = [
      ...['\ud800 \udc00', '\u0000', '\ud800'.repeat(99_000), '\u0000'.repeat(99_000)].map(
        (text) => [{ text: `/demo chunks=1 delay=0 ${text}` }, null] as const,
      ),
      ...[-1, 1.5, '1', null].map((at) => [{ at }, 'invalid_request'] as const),
      ...['../../etc', 'a', 'a'.repeat(65), '__proto__\u0000', 1].map((threadId) => [{ threadId }, 'invalid_request'] as const),
      [{ at: Number.MAX_SAFE_INTEGER, userId: ada.userId, status: 'ready' }, null],
      [{ text: 'x'.repeat(100_001) }, 'message_too_long'],
      [{ text: ' \n\u00a0' }, 'message_empty'],
      [{ modelId: '__proto__' }, 'no_model'],
    ]
    for (const [changes, code] of sends) {
      const args = sendArgs(changes)
      expect(await codeOf(wire.mutate('threads.send', args)), JSON.stringify(changes).slice(0, 80)).toBe(code)
      if (code !== null) continue
      await ready(wire, args.threadId)
      const thread = wire.rows.get(`thread ${args.threadId}`)
      expect(thread?.updatedAt).toBeLessThan(Date.now() + 1000)
      expect(thread?.userId).not.toBe(ada.userId)
    }
    const names = ['__proto__', 'constructor', 'threads', 'threads.send.fn', 'settings.__proto__', 'threads|send', '']
    for (const name of [...names, 'settings.update.mutatorName']) expect(await codeOf(wire.mutate(name, {})), name).toBe('invalid_request')
    for (const args of [null, 1, [], { theme: '<b>' }, { mode: 'x' }, { nickname: 'x'.repeat(51) }])
      expect(await codeOf(wire.mutate('settings.update', args))).toBe('invalid_request')
    const sneaky = JSON.parse(`{"__proto__":{"nickname":"p"},"userId":"${ada.userId}","id":"x","isAnonymous":false,"nickname":"Own"}`)
    expect(await wire.mutate('settings.update', sneaky)).toBeNull()
    expect([...adaWire.rows.values()].filter(({ nickname }) => nickname === 'Own')).toEqual([])
    await wire.close()
  })
})

test('after the attacks the other user works as before and the log is clean', async () => {
  expect([adaWire.closed, adaWire.errorKind]).toEqual([null, null])
  const again = sendArgs({ threadId: adas.threadId, parentId: adas.answerId })
  expect(await adaWire.mutate('threads.send', again)).toBeNull()
  await ready(adaWire, adas.threadId)
  const secrets = [ada.cookie, eve.cookie, secretText, await ada.token(), await eve.token()]
  expectCleanLog(product.output, secrets)
})
