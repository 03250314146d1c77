// `npm run deploy` with the real wrangler against a loopback Cloudflare account.
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { clientDir, productionDir } from '../../scripts/lib/paths.ts'
import { filesBelow } from '../../scripts/lib/sources.ts'
import { settingDefinitions } from '../../worker/setting-definitions.ts'
import type { Checkout } from '../support/checkout.ts'
import { startDeployed } from '../support/deployed-worker.ts'
import { migratedDb } from '../support/migrated-db.ts'
import type { Worker } from '../support/peers/cloudflare-account.ts'
import { deployedTo, expectComplete, expectDeployed, freshAccount, manyDeploysMs } from './deployment.ts'

const required = Object.entries(settingDefinitions).filter(([, definition]) => 'isRequired' in definition)
const generated = ['PUBLIC_URL', 'BETTER_AUTH_SECRET', 'CRON_SECRET']
const asked = required.filter(([name]) => !generated.includes(name))
const settingValue = ([name, { form }]: (typeof required)[number]) =>
  form === 'url' ? 'http://127.0.0.1:1' : `invented # ${name.toLowerCase()}`
/** Lines of `.prod.vars`. */
const invented = asked.map((setting) => `${setting[0]}='${settingValue(setting)}'\n`).join('')

async function newGuest(running: Awaited<ReturnType<typeof startDeployed>>): Promise<unknown> {
  const headers = { origin: 'https://parley.somebody.workers.dev', 'content-type': 'application/json' }
  return (await running.fetch('/api/auth/sign-in/anonymous', { method: 'POST', headers, body: '{}' })).json()
}

const schemaOf = (sqlite: ReturnType<typeof migratedDb>) =>
  sqlite
    .prepare("select type, name, sql from sqlite_master where name <> 'd1_migrations' and name not like 'sqlite_%' order by type, name")
    .all()

const contentDatabase = 'parley-content-2'

function addContentDatabase(home: Checkout): void {
  const one = /"d1_databases": \[(\{[^}]*\})\]/
  const configured = home.read('wrangler.jsonc')
  expect(configured).toMatch(one)
  const second = `{ "binding": "CONTENT_DB_2", "database_name": "${contentDatabase}", "preview_database_id": "${contentDatabase}" }`
  writeFileSync(join(home.dir, 'wrangler.jsonc'), configured.replace(one, `"d1_databases": [$1, ${second}]`))
}

/** The bindings of the databases of a version, by their names and ids. */
const databasesOf = (worker: Worker, version: number) =>
  worker.versions[version]?.metadata.bindings.flatMap(({ type, name, id }) => (type === 'd1' ? [[name, id]] : []))

test('a first deployment creates everything, a second one adds settings and a database, and the upload runs', {
  timeout: manyDeploysMs,
}, async () => {
  const { peer, home } = await freshAccount(onTestFinished)
  const first = await expectDeployed(home)
  expectComplete(peer)

  const [database] = peer.account.databases
  expect(database && schemaOf(database.sqlite)).toEqual(schemaOf(migratedDb()))
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
  const modules = filesBelow(productionDir).filter((file) => file.endsWith('.js'))
  expect(worker.versions[0]?.modules).toEqual(
    new Map(modules.map((file) => [file.slice(productionDir.length + 1), readFileSync(file, 'utf8')])),
  )
  const published = filesBelow(clientDir).filter((file) => !/\/(_headers|\.assetsignore)$/.test(file))
  expect(worker.files.size).toBe(published.length)
  for (const file of published) expect(worker.files.get(file.slice(clientDir.length))?.equals(readFileSync(file)), file).toBe(true)
  // Each font has one format.
  expect(new Set(published.flatMap((file) => /\.(?:woff2?|ttf|otf|eot)$/.exec(file)?.[0] ?? []))).toEqual(new Set(['.woff2']))
  for (const [name] of asked) expect(first).toContain(name)
  for (const secret of [peer.token, worker.secrets.get('BETTER_AUTH_SECRET'), worker.secrets.get('CRON_SECRET')])
    expect(first).not.toContain(secret)
  expect(statSync(join(home.dir, '.prod.vars')).mode & 0o777).toBe(0o600)
  expect(worker.secrets.get('PUBLIC_URL')).toBe('https://parley.somebody.workers.dev')

  const before = new Map(worker.secrets)
  appendFileSync(join(home.dir, '.prod.vars'), invented)
  // The build was made for one database.
  addContentDatabase(home)
  const second = await expectDeployed(home)
  expectComplete(peer, ['parley', contentDatabase])
  for (const { sqlite } of peer.account.databases) expect(schemaOf(sqlite)).toEqual(schemaOf(migratedDb()))
  expect(databasesOf(worker, 0)).toEqual([['DB', database?.uuid]])
  expect(databasesOf(worker, 1)).toEqual([
    ['DB', database?.uuid],
    ['CONTENT_DB_2', peer.account.databases[1]?.uuid],
  ])
  expect(worker.versions).toHaveLength(2)
  expect(worker.secrets).toEqual(new Map([...before, ...asked.map((setting) => [setting[0], settingValue(setting)] as const)]))
  expect(second).not.toMatch(/invented|are missing/)

  const running = await startDeployed(worker)
  onTestFinished(() => running.stop())
  const health = await running.fetch('/api/health')
  expect(health.status).toBe(200)
  expect(await health.json()).toMatchObject({ status: 'ok', environment: 'production', parts: { database: { state: 'real' } } })
  const page = await (await running.fetch('/')).text()
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? 'the page names no script'
  expect(await (await running.fetch(script)).text()).toBe(readFileSync(join(clientDir, script), 'utf8'))
  // New users get the newest content database.
  expect(await newGuest(running)).toMatchObject({ user: { isAnonymous: true, id: expect.stringMatching(/-2$/) } })
})
