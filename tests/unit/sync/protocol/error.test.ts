// What an error makes the real client do: its own schema and its own decision, for everything that this server can say. Rule: worker/sync/SPEC.md, X3.
import { expect, test } from 'vitest'
import { getErrorConnectionTransition } from '../../../../node_modules/@rocicorp/zero/out/zero-client/src/client/error.js'
import { errorBodySchema, ProtocolError } from '../../../../node_modules/@rocicorp/zero/out/zero-protocol/src/error.js'
import { rootDir } from '../../../../scripts/lib/paths.ts'
import { comeBack, type ErrorBody, fatal, outOfOrder } from '../../../../worker/sync/protocol/error.ts'
import { readSources } from '../../../support/import-graph.ts'

/** What the client calls the state it goes to. */
const clientDoes = (body: ErrorBody) => getErrorConnectionTransition(new ProtocolError(errorBodySchema.parse(body))).status

const stops = [
  'ClientNotFound',
  'InvalidConnectionRequest',
  'InvalidConnectionRequestBaseCookie',
  'InvalidConnectionRequestLastMutationID',
  'InvalidMessage',
  'InvalidPush',
  'SchemaVersionNotSupported',
  'VersionNotSupported',
] as const

test.each(stops)('[X3] %s stops the client until it is told to go on', (kind) => {
  expect(clientDoes(fatal(kind, 'why'))).toBe('error')
})

test('[X3] a gap in the mutations stops it too', () => {
  expect(clientDoes(outOfOrder({ clientID: 'c', id: 7 }, 5))).toBe('error')
})

test('[X3] Unauthorized makes it wait for a token', () => {
  expect(clientDoes(fatal('Unauthorized', 'why'))).toBe('needs-auth')
})

test('[X3] what may pass brings it back after 1 to 5 s, and it keeps writing meanwhile', () => {
  expect(comeBack('why')).toMatchObject({ kind: 'ServerOverloaded', minBackoffMs: 1000, maxBackoffMs: 5000 })
  expect(clientDoes(comeBack('why'))).toBe('NO_STATUS_TRANSITION')
})

test('[X3] nothing in worker/sync says `Internal`, and no error is made anywhere else', () => {
  const sources = readSources(rootDir, ['worker']).filter(({ path }) => path.startsWith('worker/sync/'))
  expect(sources.filter(({ text }) => /['"]Internal['"]/.test(text)).map(({ path }) => path)).toEqual([])
  expect(sources.filter(({ text }) => /origin: '/.test(text)).map(({ path }) => path)).toEqual(['worker/sync/protocol/error.ts'])
})
