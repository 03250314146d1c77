// `npm run deploy` with the real wrangler against a loopback Cloudflare account.
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { clientDir, productionDir } from '../../scripts/lib/paths.ts'
import { filesBelow } from '../../scripts/lib/sources.ts'
import { enableCommand, features, settingDefinitions } from '../../worker/setting-definitions.ts'
import type { Checkout } from '../support/checkout.ts'
import { startDeployed } from '../support/deployed-worker.ts'
import { migratedDb } from '../support/migrated-db.ts'
import { storageLimits } from '../support/node-sql.ts'
import { Worker } from '../support/peers/cloudflare-account.ts'
import { startStripePeer } from '../support/peers/stripe.ts'
import { freePort } from '../support/ports.ts'
import { config, deployedTo, expectComplete, expectDeployed, freshAccount, manyDeploysMs } from './deployment.ts'

const definitions = Object.entries(settingDefinitions)
const required = new Set(definitions.flatMap(([name, definition]) => ('isRequired' in definition ? [name] : [])))
const generated = ['PUBLIC_URL', 'BETTER_AUTH_SECRET', 'CRON_SECRET']
/** Redis is optional, and a feature. */
const asked = definitions.filter(([name, { feature }]) => (required.has(name) || feature === 'redis') && !generated.includes(name))
const settingValue = ([name, { form }]: (typeof definitions)[number]) =>
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

/** The variable DISABLED_FEATURES of a version. */
const disabledIn = (worker: Worker, version: number) =>
  worker.versions[version]?.metadata.bindings.find(({ name }) => name === 'DISABLED_FEATURES')?.text

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
      { type: 'ai', name: 'AI' },
      { type: 'send_email', name: 'EMAIL' },
      { type: 'images', name: 'IMAGES' },
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
  // Features without settings are off, in the Worker and in the list that the command prints.
  const off = features.filter((feature) => !['cron', 'files'].includes(feature))
  expect(disabledIn(worker, 0)).toBe(off.join(','))
  for (const feature of off) expect(first).toContain(enableCommand(feature))
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
  expect(second).not.toMatch(/invented|Switched off/)
  expect(disabledIn(worker, 1)).toBeUndefined()

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

test('a deployment is checked at its address before the command ends', { timeout: manyDeploysMs }, async () => {
  const { peer, home } = await freshAccount(onTestFinished)
  const port = await freePort()
  appendFileSync(join(home.dir, '.prod.vars'), `PUBLIC_URL=http://127.0.0.1:${port}\n`)
  const deployed = home.deploy({}, [])
  await expect.poll(() => peer.account.workers.get(config.name)?.crons.length, { timeout: manyDeploysMs }).toBe(1)
  const running = await startDeployed(deployedTo(peer), port)
  onTestFinished(() => running.stop())
  expect(await deployed).toMatchObject({ status: 0, output: expect.stringContaining(`Parley is deployed at http://127.0.0.1:${port}.`) })
})

test('`enable payments` creates the objects at Stripe and switches payments on; a key that Stripe rejects changes nothing', {
  timeout: manyDeploysMs,
}, async () => {
  const { peer, home } = await freshAccount(onTestFinished)
  await expectDeployed(home)
  const worker = deployedTo(peer)
  const stripe = await startStripePeer()
  onTestFinished(() => stripe.stop())
  const vars = join(home.dir, '.prod.vars')
  const before = home.read('.prod.vars')
  const enable = (key: string) => {
    writeFileSync(vars, `${before}STRIPE_SECRET_KEY=${key}\nSTRIPE_API_URL=${stripe.url}\n`)
    return home.deploy({}, ['--no-check', 'enable', 'payments'])
  }
  expect(await enable('sk_unknown')).toMatchObject({ status: 1, output: expect.stringContaining('Stripe rejects STRIPE_SECRET_KEY') })
  expect(worker.versions).toHaveLength(1)

  const { status, output } = await enable(stripe.secretKey)
  expect(status, output).toBe(0)
  expect(output).not.toMatch(/sk_of|whsec_/)
  expect(disabledIn(worker, 1)).toBe('gateway,search,mail,google,github,redis')
  expect(worker.secrets.get('PRO_MONTHLY_PRICE_ID')).toBe(stripe.setup.prices[0]?.id)
  expect(worker.secrets.get('STRIPE_WEBHOOK_SECRET')).toBe(stripe.setup.webhooks[0]?.secret)
  expect(stripe.setup.webhooks).toMatchObject([{ url: 'https://parley.somebody.workers.dev/api/webhook/stripe' }])
})

test('the ids that Cloudflare’s deploy button writes are used, also for a Worker that is still empty', {
  timeout: manyDeploysMs,
}, async () => {
  const { peer, home } = await freshAccount(onTestFinished)
  const { account } = peer
  // The button creates these before the first build.
  const sqlite = new DatabaseSync(':memory:', { limits: storageLimits })
  account.databases.push({ uuid: 'id-of-the-database', name: 'chat-data', sqlite, importFile: Buffer.alloc(0) })
  account.namespaces.push({ id: 'id-of-the-namespace', title: 'chat-pages' })
  account.buckets.push('chat-files')
  const empty = new Worker()
  empty.secrets.set('CRON_SECRET', 'of-the-user')
  account.workers.set('my-chat', empty)
  const file = join(home.dir, 'wrangler.jsonc')
  const renamed = home
    .read('wrangler.jsonc')
    .replace('"name": "parley"', '"name": "my-chat"')
    .replace('"database_name": "parley"', '"database_name": "chat-data", "database_id": "id-of-the-database"')
    .replace('{ "binding": "FIRST_PAGES"', '{ "binding": "FIRST_PAGES", "id": "id-of-the-namespace"')
    .replace('"bucket_name": "parley-files"', '"bucket_name": "chat-files"')
  writeFileSync(file, renamed)
  await expectDeployed(home, { WORKERS_CI: '1' })
  expect([account.databases, account.namespaces, account.buckets].map(({ length }) => length)).toEqual([1, 1, 1])
  expect([...account.workers.keys()]).toEqual(['my-chat'])
  const worker = account.workers.get('my-chat')
  expect(worker?.versions[0]?.metadata.bindings).toEqual(
    expect.arrayContaining([
      { type: 'd1', name: 'DB', id: 'id-of-the-database' },
      { type: 'kv_namespace', name: 'FIRST_PAGES', namespace_id: 'id-of-the-namespace' },
      { type: 'r2_bucket', name: 'FILES', bucket_name: 'chat-files' },
    ]),
  )
  expect(schemaOf(sqlite)).toEqual(schemaOf(migratedDb()))
  expect(worker?.secrets.get('CRON_SECRET')).toBe('of-the-user')
  expect(worker?.secrets.get('BETTER_AUTH_SECRET')?.length).toBeGreaterThan(31)
})
