// The real client's reaction to every error of this server, with the client's own schema and transition. Rules: worker/sync/SPEC.md, X3.
import { expect, test } from 'vitest'
import { getErrorConnectionTransition } from '../../../../node_modules/@rocicorp/zero/out/zero-client/src/client/error.js'
import { errorBodySchema, ProtocolError } from '../../../../node_modules/@rocicorp/zero/out/zero-protocol/src/error.js'
import { rootDir } from '../../../../scripts/lib/paths.ts'
import { type ErrorBody, fatal, outOfOrder, serverOverloaded } from '../../../../worker/sync/protocol/down.ts'
import { readSources } from '../../../support/import-graph.ts'

/** The client's name of its next state. */
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

test.each(stops)('[X3] %s stops the client until the application continues it', (kind) => {
  expect(clientDoes(fatal(kind, 'why'))).toBe('error')
})

test('[X3] PushFailed stops the client', () => {
  expect(clientDoes(outOfOrder({ clientID: 'c', id: 7 }, 5))).toBe('error')
})

test('[X3] Unauthorized makes the client wait for a token', () => {
  expect(clientDoes(fatal('Unauthorized', 'why'))).toBe('needs-auth')
})

test('[X3] ServerOverloaded makes the client reconnect after 1 to 5 s, and writes continue', () => {
  expect(serverOverloaded('why')).toMatchObject({ kind: 'ServerOverloaded', minBackoffMs: 1000, maxBackoffMs: 5000 })
  expect(clientDoes(serverOverloaded('why'))).toBe('NO_STATUS_TRANSITION')
})

test('[X3] [R9] a longer minBackoffMs sets the delay that the client uses', () => {
  const refusal = serverOverloaded('why', 25_000.2)
  expect(refusal).toMatchObject({ kind: 'ServerOverloaded', minBackoffMs: 25_001, maxBackoffMs: 25_001 })
  expect(clientDoes(refusal)).toBe('NO_STATUS_TRANSITION')
})

test('[X3] worker/sync never sends `Internal` and makes errors in one module', () => {
  const sources = readSources(rootDir, ['worker']).filter(({ path }) => path.startsWith('worker/sync/'))
  expect(sources.filter(({ text }) => /['"]Internal['"]/.test(text)).map(({ path }) => path)).toEqual([])
  expect(sources.filter(({ text }) => /origin: '/.test(text)).map(({ path }) => path)).toEqual(['worker/sync/protocol/down.ts'])
})
