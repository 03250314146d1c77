// Recorded messages of the real client, and what it accepts according to its own schemas. Fails when an upgrade changes either. Rules:
// worker/sync/SPEC.md, X1.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { rootDir } from '../../../../scripts/lib/paths.ts'
import {
  type DownMessage,
  encodeDown,
  fatal,
  mutationRateLimited,
  outOfOrder,
  serverOverloaded,
} from '../../../../worker/sync/protocol/down.ts'
import { decodeSubProtocol, decodeUp, parseConnectUrl, protocolVersion, upBodies } from '../../../../worker/sync/protocol/up.ts'
import { clientVersion, type Frame, readRecorded } from '../../../fixtures/wire/recorded.ts'

const recorded = readRecorded()
const ups = recorded.flatMap((entry) => ('up' in entry ? [entry.up] : []))
const downs = recorded.flatMap((entry) => ('down' in entry ? [entry.down] : []))
const opens = recorded.flatMap((entry) => ('open' in entry ? [entry] : []))

type Schema = { parse(value: unknown, options: { mode: 'passthrough' }): unknown }

/** The package exports no schema. The path is unchanged since 1.0. */
async function clientSchemaOf(direction: 'up' | 'down'): Promise<Schema> {
  const file = join(rootDir, `node_modules/@rocicorp/zero/out/zero-protocol/src/${direction}.js`)
  const module = (await import(pathToFileURL(file).href)) as { readonly [name: string]: Schema }
  const schema = module[`${direction}streamSchema`]
  if (!schema) throw new Error(`${file} holds no ${direction}streamSchema any more`)
  return schema
}

describe('version of the client', () => {
  const advice = `@rocicorp/zero speaks otherwise than worker/sync/protocol/ was written for. Read what changed between the two versions in
zero-protocol/src, change worker/sync/protocol/ and SPEC.md accordingly, run \`node tests/fixtures/wire/record.ts\`, and put the new hash here.`

  test.each([
    ['up', 'b5886ca696e30a53'],
    ['down', 'e27c68133348b6d7'],
  ] as const)("the client's %sstream union is the expected one", async (direction, expected) => {
    const text = JSON.stringify(await clientSchemaOf(direction))
    expect(createHash('sha256').update(text).digest('hex').slice(0, 16), advice).toBe(expected)
  })

  test("the recorded client is the installed one and uses the server's protocol version", () => {
    expect(recorded[0], 'the client was upgraded: run `node tests/fixtures/wire/record.ts`').toEqual({ client: clientVersion() })
    for (const { open } of opens) expect(parseConnectUrl(new URL(open, 'http://x'))?.version).toBe(protocolVersion)
  })
})

describe('[X1] messages of the client', () => {
  test('contain every tag except the unused ones', () => {
    const tags = new Set(ups.map(([tag]) => tag))
    const silent = ['pull', 'closeConnection']
    expect([...tags].sort()).toEqual(
      Object.keys(upBodies)
        .filter((tag) => !silent.includes(tag))
        .sort(),
    )
  })

  test.each(ups.map((frame, i) => [i, frame[0], frame] as const))('frame %i, %s, is decoded completely', (_i, tag, frame) => {
    const decoded = decodeUp(JSON.stringify(frame), 1024 * 1024)
    expect(decoded).toMatchObject({ type: 'message', message: [tag, {}] })
    if (decoded.type !== 'message') return
    // Decoding adds nothing and omits nothing relevant.
    expect(withoutIgnored(frame[1])).toEqual(decoded.message[1])
  })

  test.each(opens.map(({ open, header }, i) => [i, open, header] as const))('address and header of connection %i', (_i, open, header) => {
    const url = parseConnectUrl(new URL(open, 'http://x'))
    expect(url && 'invalid' in url.params).toBe(false)
    const sent = decodeSubProtocol(encodeURIComponent(btoa(JSON.stringify(header))))
    const { initConnectionMessage: init, ...rest } = header as { initConnectionMessage?: Frame }
    expect(sent).toEqual({ ...rest, ...(init ? { initConnectionMessage: [init[0], withoutIgnored(init[1])] } : {}) })
  })

  test('contain both ways to init and both kinds of connections', () => {
    const headers = opens.map(({ header }) => header as { initConnectionMessage?: Frame })
    expect(new Set(headers.map(({ initConnectionMessage }) => initConnectionMessage === undefined))).toEqual(new Set([true, false]))
    expect(opens.some(({ open }) => /baseCookie=cookie-/.test(open))).toBe(true)
  })
})

/** Fields of the client for servers that forward, trace or measure. */
const ignored = new Set(['timestamp', 'traceparent'])

function withoutIgnored(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutIgnored)
  if (typeof body !== 'object' || body === null) return body
  const entries = Object.entries(body).filter(([name, value]) => !ignored.has(name) && !(name === 'op' && value === 'version'))
  return Object.fromEntries(entries.map(([name, value]) => [name, name === 'args' ? value : withoutIgnored(value)]))
}

describe('messages of the server', () => {
  test.each(downs.map((frame, i) => [i, frame[0], frame] as const))('frame %i, %s, is accepted by the client', async (_i, _tag, frame) => {
    const schema = await clientSchemaOf('down')
    expect(() => schema.parse(frame, { mode: 'passthrough' })).not.toThrow()
  })

  const id = { clientID: 'c', id: 1 }
  const messages: readonly DownMessage[] = [
    ['connected', { wsid: 'w', timestamp: 1 }],
    ['pong', {}],
    ['pokeStart', { pokeID: '01', baseCookie: null }],
    ['pokePart', { pokeID: '01', rowsPatch: [{ op: 'clear' }] }],
    ['pokePart', { pokeID: '01', rowsPatch: [{ op: 'del', tableName: 'thread', id: { id: 't' } }] }],
    [
      'pokePart',
      { pokeID: '01', rowsPatch: [{ op: 'update', tableName: 'thread', id: { id: 't' }, merge: { title: null, pinned: true } }] },
    ],
    ['pokePart', { pokeID: '01', lastMutationIDChanges: { c: 1 }, gotQueriesPatch: [{ op: 'del', hash: 'h' }] }],
    ['pokePart', { pokeID: '01', desiredQueriesPatches: { c: [{ op: 'put', hash: 'h', ttl: 1 }] } }],
    ['pokePart', { pokeID: '01', mutationsPatch: [{ op: 'put', mutation: { id, result: { error: 'app', message: 'No', details: {} } } }] }],
    ['pokePart', { pokeID: '01', mutationsPatch: [{ op: 'del', id }] }],
    ['pokeEnd', { pokeID: '01', cookie: '01' }],
    ['transformError', [{ error: 'parse', id: 'h', name: 'n', message: 'm' }]],
    ['deleteClients', { clientIDs: ['c'] }],
    ['pull', { cookie: '01', requestID: 'r', lastMutationIDChanges: {} }],
    ['inspect', { id: 'i', op: 'error', value: 'no' }],
    ['error', fatal('ClientNotFound', 'm')],
    ['error', serverOverloaded('m')],
    ['error', mutationRateLimited],
    ['error', outOfOrder(id, 1)],
  ] as readonly DownMessage[]

  test.each(messages.map((message) => [message[0], message] as const))('%s', async (_tag, message) => {
    const schema = await clientSchemaOf('down')
    expect(() => schema.parse(JSON.parse(encodeDown(message)), { mode: 'passthrough' })).not.toThrow()
  })
})
