/**
 * The official conformance suite of MCP against Parley's client of servers (`tests/support/conformance-client.ts`), on loopback. A scenario runs in
 * each protocol version that requires it.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { rootDir } from '../../scripts/lib/paths.ts'

const program = join(rootDir, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const client = `"${process.execPath}" "${join(rootDir, 'tests/support/conformance-client.ts')}"`

type Revision = '2025-11-25' | '2026-07-28'
const both: readonly Revision[] = ['2025-11-25', '2026-07-28']
const before2026: readonly Revision[] = ['2025-11-25']
const since2026: readonly Revision[] = ['2026-07-28']

const passed: { readonly [scenario: string]: readonly Revision[] } = {
  initialize: before2026,
  tools_call: both,
  'sse-retry': before2026,
  'sep-2322-client-request-state': since2026,
  'request-metadata': since2026,
  'auth/metadata-default': both,
  'auth/metadata-var1': both,
  'auth/metadata-var2': both,
  'auth/metadata-var3': both,
  'auth/basic-cimd': both,
  'auth/scope-from-www-authenticate': both,
  'auth/scope-from-scopes-supported': both,
  'auth/scope-omitted-when-undefined': both,
  'auth/scope-step-up': both,
  'auth/scope-retry-limit': both,
  'auth/token-endpoint-auth-basic': both,
  'auth/token-endpoint-auth-post': both,
  'auth/token-endpoint-auth-none': both,
  'auth/resource-mismatch': since2026,
  'auth/offline-access-scope': since2026,
  'auth/offline-access-not-supported': since2026,
  'auth/authorization-server-migration': since2026,
  'auth/iss-supported': since2026,
  'auth/iss-not-advertised': since2026,
  'auth/iss-supported-missing': since2026,
  'auth/iss-wrong-issuer': since2026,
  'auth/iss-unexpected': since2026,
  'auth/iss-normalized': since2026,
  'auth/metadata-issuer-mismatch': since2026,
  'http-standard-headers': since2026,
  'http-custom-headers': since2026,
  'http-invalid-tool-headers': since2026,
  'json-schema-ref-no-deref': since2026,
  'json-schema-2020-12-preservation': both,
}

/** Scenarios that do not apply, each with its reason. */
const omitted: { readonly [scenario: string]: string } = {
  'elicitation-sep1034-client-defaults':
    'asks on the stream that belongs to no request, which Parley does not open; and a call that ends and is made again with the answer counts as failed',
  'auth/pre-registration': 'users cannot enter the id and the secret of a client',
  'auth/2025-03-26-oauth-metadata-backcompat': 'logins of the protocol before 2025-06-18',
  'auth/2025-03-26-oauth-endpoint-fallback': 'logins of the protocol before 2025-06-18',
  'auth/client-credentials-jwt': 'an extension for clients without a user',
  'auth/client-credentials-basic': 'an extension for clients without a user',
  'auth/wif-jwt-bearer': 'an extension for clients without a user',
  'auth/enterprise-managed-authorization': 'an extension for logins that a company manages',
  'auth/dpop': 'an extension: tokens that are bound to a key',
  'auth/dpop-nonce': 'an extension: tokens that are bound to a key',
  'sep-2640-client-no-prefetch': 'an extension: skills',
  'sep-2640-client-verify-digest': 'an extension: skills',
  'sep-2640-client-verify-size': 'an extension: skills',
  'sep-2640-client-verify-frontmatter': 'an extension: skills',
}

const run = (args: readonly string[], cwd = rootDir) =>
  promisify(execFile)(process.execPath, [program, ...args], { cwd, timeout: 300_000, killSignal: 'SIGKILL' }).then(
    ({ stdout }) => ({ hasPassed: true, output: stdout }),
    ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => ({ hasPassed: false, output: `${stdout}\n${stderr}` }),
  )

test('every scenario for clients is listed here', async () => {
  const { output } = await run(['list', '--client'])
  const offered = [...output.matchAll(/^ +- (\S+)/gm)].map(([, name = '']) => name)
  expect(offered.length).toBeGreaterThan(40)
  expect([...Object.keys(passed), ...Object.keys(omitted)].sort()).toEqual(offered.sort())
})

describe.each(both)('%s', (revision) => {
  const scenarios = Object.keys(passed).filter((scenario) => passed[scenario]?.includes(revision))
  test.concurrent.each(scenarios)('%s', async (scenario) => {
    const { hasPassed, output } = await run([
      ...['client', '--command', client, '--scenario', scenario],
      ...['--spec-version', revision, '--timeout', '240000'],
    ])
    expect(hasPassed, output).toBe(true)
  })
})
