/** `npm run deploy` against a simulated Cloudflare with state: the real script, the real wrangler, no network. */
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { clientDir, productionDir, rootDir } from '../../scripts/lib/paths.ts'
import { filesBelow } from '../../scripts/lib/sources.ts'
import { settingFacts } from '../../worker/setting-facts.ts'
import { startDeployed } from '../support/deployed-worker.ts'
import { migratedDb } from '../support/migrated-db.ts'

import { aCheckout, config, deployedTo, expectWhole, freshAccount, manyDeploysMs } from './deployment.ts'

const required = Object.entries(settingFacts).filter(([, facts]) => 'isRequired' in facts)
/** Values with the right form; they are never used. */
const invented = ([name, { form }]: (typeof required)[number]) =>
  `${name}=${form === 'url' ? 'http://127.0.0.1:1' : `invented-${name.toLowerCase()}`}\n`
const ofPeople = required.filter(([name]) => !['PUBLIC_URL', 'BETTER_AUTH_SECRET', 'CRON_SECRET'].includes(name))

const schemaOf = (sqlite: ReturnType<typeof migratedDb>) =>
  sqlite
    .prepare("select type, name, sql from sqlite_master where name <> 'd1_migrations' and name not like 'sqlite_%' order by type, name")
    .all()

test('a new account gets everything, a second checkout creates nothing again, and the deployed Worker responds in workerd', {
  timeout: manyDeploysMs,
}, async () => {
  const { peer, home } = await freshAccount(onTestFinished)
  const first = await home.deploy()
  expect(first).toMatchObject({ status: 0 })
  expectWhole(peer)

  // The database has the schema of the migrations, including triggers.
  const [database] = peer.account.databases
  expect(database && schemaOf(database.sqlite)).toEqual(schemaOf(migratedDb()))
  // Every binding of wrangler.jsonc refers to a created resource.
  const worker = deployedTo(peer)
  const metadata = worker.versions[0]?.metadata
  expect(metadata?.bindings.filter(({ type }) => type !== 'secret_text')).toEqual(
    expect.arrayContaining([
      { type: 'd1', name: 'DB', id: database?.uuid },
      { type: 'kv_namespace', name: 'FIRST_PAGES', namespace_id: peer.account.namespaces[0]?.id },
      { type: 'r2_bucket', name: 'FILES', bucket_name: 'parley-files' },
      { type: 'durable_object_namespace', name: 'USER_SYNC', class_name: 'UserSync' },
      { type: 'durable_object_namespace', name: 'GENERATION', class_name: 'Generation' },
      { type: 'assets', name: 'ASSETS' },
      { type: 'plain_text', name: 'ENVIRONMENT', text: 'production' },
    ]),
  )
  expect(metadata?.observability).toMatchObject({ enabled: true, logs: { invocation_logs: false } })
  // Byte for byte the build's output.
  const modules = filesBelow(productionDir).filter((file) => file.endsWith('.js'))
  expect(worker.versions[0]?.modules).toEqual(
    new Map(modules.map((file) => [file.slice(productionDir.length + 1), readFileSync(file, 'utf8')])),
  )
  const published = filesBelow(clientDir).filter((file) => !/\/(_headers|\.assetsignore)$/.test(file))
  expect(worker.assets?.manifest.size).toBe(published.length)
  // Fonts are published in one format each.
  expect(new Set(published.flatMap((file) => /\.(?:woff2?|ttf|otf|eot)$/.exec(file)?.[0] ?? []))).toEqual(new Set(['.woff2']))
  for (const file of published) {
    const { hash = '' } = worker.assets?.manifest.get(file.slice(clientDir.length)) ?? {}
    expect(peer.account.files.get(hash)?.equals(readFileSync(file)), file).toBe(true)
  }
  // Names the required secrets, hides the others, and leaves no temporary files.
  for (const [name] of ofPeople) expect(first.output).toContain(name)
  for (const secret of [peer.token, worker.secrets.get('BETTER_AUTH_SECRET'), worker.secrets.get('CRON_SECRET')])
    expect(first.output).not.toContain(secret)
  expect(statSync(join(home.dir, '.prod.vars')).mode & 0o777).toBe(0o600)
  expect(existsSync(join(home.dir, '.cache', 'deploy-secrets.json'))).toBe(false)
  expect(worker.secrets.get('PUBLIC_URL')).toBe('https://parley.somebody.workers.dev')

  // Only the two ids changed in tracked files.
  const written = home.read('wrangler.jsonc')
  const zeros = written
    .replace(String(database?.uuid), config.d1_databases[0]?.database_id ?? '')
    .replace(String(peer.account.namespaces[0]?.id), config.kv_namespaces[0]?.id ?? '')
  expect(zeros).toBe(readFileSync(join(rootDir, 'wrangler.jsonc'), 'utf8'))

  // A second run with the missing secrets: creates nothing and uploads only what is new.
  const before = new Map(worker.secrets)
  appendFileSync(join(home.dir, '.prod.vars'), ofPeople.map(invented).join(''))
  const makes = (line: string) => /^(POST|PUT) .*(database|namespaces|buckets|import|assets\/upload)$/.test(line)
  peer.calls.length = 0
  const second = await home.deploy()
  expect(second).toMatchObject({ status: 0 })
  expectWhole(peer)
  expect(worker.versions).toHaveLength(2)
  expect(new Map([...worker.secrets].filter(([name]) => before.has(name)))).toEqual(before)
  expect(second.output).not.toMatch(/invented-|still lacks/)

  // Another developer, who logged in instead of using a token, and whose checkout has neither ids nor settings.
  const other = aCheckout(peer, onTestFinished)
  const all = new Map(worker.secrets)
  other.logIn(peer.token)
  peer.calls.length = 0
  expect(await other.deploy({ CLOUDFLARE_API_TOKEN: '' })).toMatchObject({ status: 0 })
  expectWhole(peer)
  expect(peer.calls.filter(makes)).toEqual([])
  expect(worker.secrets).toEqual(all)
  expect(other.read('wrangler.jsonc')).toBe(written)
  expect(existsSync(join(other.dir, '.prod.vars'))).toBe(false)

  const running = await startDeployed(peer.account, config.name)
  onTestFinished(() => running.stop())
  const health = await running.fetch('/api/health')
  expect(health.status).toBe(200)
  expect(await health.json()).toMatchObject({ status: 'ok', environment: 'production', parts: { database: { state: 'real' } } })
  const page = await (await running.fetch('/')).text()
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? 'the page names no script'
  expect(await (await running.fetch(script)).text()).toBe(readFileSync(join(clientDir, script), 'utf8'))
  // Creates a row in the deployed database through the deployed Worker.
  const headers = { origin: 'https://parley.somebody.workers.dev', 'content-type': 'application/json' }
  const guest = await running.fetch('/api/auth/sign-in/anonymous', { method: 'POST', headers, body: '{}' })
  expect(await guest.json()).toMatchObject({ user: { isAnonymous: true } })
})
