// Deployments that fail: each prints its cause and exits with 1, and the next deployment completes the work. Deployments from another
// checkout, and with other settings.
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrationNames } from '../../../scripts/lib/migration-files.ts'
import type { Checkout, Outcome } from '../../support/checkout.ts'
import type { CloudflarePeer } from '../../support/peers/cloudflare.ts'
import { Refusal, Worker } from '../../support/peers/cloudflare-account.ts'
import { startStripePeer } from '../../support/peers/stripe.ts'
import { aCheckout, deployedTo, expectComplete, expectDeployed, freshAccount, manyDeploysMs } from '../deployment.ts'

type Scene = { readonly peer: CloudflarePeer; readonly home: Checkout }
type Failure = {
  readonly name: string
  /** Causes the failure, deploys, and removes the cause. */
  readonly deploy: (scene: Scene) => Promise<Outcome>
  readonly message: RegExp
  /** The number of resources afterwards. */
  readonly leaves: Partial<{ databases: number; namespaces: number; buckets: number; workers: number }>
}

const brokenMigration = 'create table half_made (id text);\ninsert into nowhere values (1);\n'

async function deployRefused({ peer, home }: Scene, call: string, refusal: Refusal): Promise<Outcome> {
  peer.fault = (line) => (line === call ? refusal : undefined)
  const outcome = await home.deploy()
  peer.fault = () => undefined
  return outcome
}

/** In the order of the steps of a deployment. */
const failures: readonly Failure[] = [
  {
    name: 'no credentials',
    deploy: ({ home }) => home.deploy({ CLOUDFLARE_API_TOKEN: '' }),
    message: /wrangler secret list failed:[\s\S]*CLOUDFLARE_API_TOKEN/,
    leaves: { databases: 0 },
  },
  {
    name: 'another Worker of the same name',
    deploy: async ({ peer, home }) => {
      peer.account.workers.set('parley', new Worker())
      const outcome = await home.deploy()
      peer.account.workers.delete('parley')
      return outcome
    },
    message: /already has a Worker named parley, and it is not Parley .* Choose another "name"/,
    leaves: { databases: 0 },
  },
  {
    name: 'a setting that the Worker would refuse',
    deploy: async ({ home }) => {
      appendFileSync(join(home.dir, '.prod.vars'), 'PUBLIC_URL=chat\n')
      const outcome = await home.deploy()
      writeFileSync(join(home.dir, '.prod.vars'), home.read('.prod.vars').replace('PUBLIC_URL=chat\n', ''))
      return outcome
    },
    message: /Invalid base URL: PUBLIC_URL is not a valid http\(s\) URL without password, \? and #\. Correct it in \.prod\.vars/,
    leaves: { databases: 0 },
  },
  {
    name: 'a feature with only some of its settings',
    deploy: async ({ home }) => {
      appendFileSync(join(home.dir, '.prod.vars'), 'STRIPE_SECRET_KEY=sk_test\n')
      const outcome = await home.deploy()
      writeFileSync(join(home.dir, '.prod.vars'), home.read('.prod.vars').replace('STRIPE_SECRET_KEY=sk_test\n', ''))
      return outcome
    },
    message: /STRIPE_WEBHOOK_SECRET is not set, but another setting of its feature is \(npm run deploy -- enable payments asks for all\)/,
    leaves: { databases: 0 },
  },
  {
    name: 'a token without the permission',
    deploy: (scene) => deployRefused(scene, 'POST /d1/database', new Refusal(403, 10000, 'Authentication error')),
    message: /wrangler d1 create failed:[\s\S]*Authentication error \[code: 10000\]/,
    leaves: { databases: 0 },
  },
  {
    name: 'an account without R2',
    deploy: async ({ peer, home }) => {
      peer.account.hasR2 = false
      const outcome = await home.deploy()
      peer.account.hasR2 = true
      return outcome
    },
    message: /wrangler r2 bucket failed:[\s\S]*Please enable R2/,
    leaves: { databases: 1, namespaces: 1, buckets: 0 },
  },
  {
    name: 'a migration that fails',
    deploy: async ({ home }) => {
      const file = join(home.dir, 'migrations', '9999_broken.sql')
      writeFileSync(file, brokenMigration)
      const outcome = await home.deploy()
      rmSync(file)
      return outcome
    },
    message: /wrangler d1 execute failed:[\s\S]*no such table: nowhere/,
    leaves: { databases: 1, namespaces: 1, buckets: 1, workers: 0 },
  },
  {
    name: 'a refused upload',
    deploy: (scene) =>
      deployRefused(scene, 'PUT /workers/scripts/parley', new Refusal(413, 10027, 'Your Worker exceeded the size limit of 3 MiB.')),
    message: /size limit of 3 MiB[\s\S]*wrangler deploy.* failed: see the error above\s+Completed steps are kept/,
    leaves: { workers: 0 },
  },
]

test.concurrent('a failure prints its cause, reveals no secret, and does not prevent the next deployment', {
  timeout: manyDeploysMs,
}, async ({ onTestFinished }) => {
  const scene = await freshAccount(onTestFinished)
  const { account, token } = scene.peer
  for (const { name, deploy, message, leaves } of failures) {
    const { status, output } = await deploy(scene)
    expect(status, name).toBe(1)
    expect(output, name).toMatch(message)
    expect(output, name).not.toMatch(new RegExp(`${token}|    at .*\\.ts:\\d`))
    const { databases, namespaces, buckets, workers } = account
    const counts = { databases: databases.length, namespaces: namespaces.length, buckets: buckets.length, workers: workers.size }
    expect(counts, name).toMatchObject(leaves)
    if (name === 'a migration that fails')
      expect(databases[0]?.sqlite.prepare("select name from sqlite_master where name in ('half_made', 'user')").all()).toEqual([])
  }
  expect(account.databases[0]?.sqlite.prepare('select count(*) as n from d1_migrations').get()?.n).toBe(migrationNames().length)
})

test.concurrent('another checkout, with the credentials of `wrangler login` and without settings, changes nothing', {
  timeout: manyDeploysMs,
}, async ({ onTestFinished }) => {
  const { peer, home } = await freshAccount(onTestFinished)
  await expectDeployed(home)
  const worker = deployedTo(peer)
  const secrets = new Map(worker.secrets)
  const other = aCheckout(peer, onTestFinished)
  other.logIn(peer.token)
  peer.calls.length = 0
  await expectDeployed(other, { CLOUDFLARE_API_TOKEN: '' })
  expectComplete(peer)
  expect(peer.calls.filter((line) => /^(POST|PUT) .*(database|namespaces|import|assets\/upload)$/.test(line))).toEqual([])
  expect(worker.secrets).toEqual(secrets)
  expect(worker.versions[1]?.metadata.bindings).toEqual(worker.versions[0]?.metadata.bindings.filter(({ type }) => type !== 'secret_text'))
  expect(existsSync(join(other.dir, '.prod.vars'))).toBe(false)
})

test.concurrent('a custom domain and a disabled feature', { timeout: manyDeploysMs }, async ({ onTestFinished }) => {
  const { peer, home } = await freshAccount(onTestFinished)
  peer.account.hasR2 = false
  const vars = '"vars": { "ENVIRONMENT": "production", "DISABLED_FEATURES": "files" }'
  const routes = '"routes": [{ "pattern": "chat.example.com", "custom_domain": true }]'
  writeFileSync(join(home.dir, 'wrangler.jsonc'), home.read('wrangler.jsonc').replace(/"vars": .*/, `${vars},\n  ${routes}`))
  await expectDeployed(home)
  const { versions, domains, subdomain, secrets } = deployedTo(peer)
  expect({ domains, subdomain, address: secrets.get('PUBLIC_URL'), buckets: peer.account.buckets }).toEqual({
    domains: ['chat.example.com'],
    subdomain: { enabled: false, previews_enabled: false },
    address: 'https://chat.example.com',
    buckets: [],
  })
  const bindings = versions[0]?.metadata.bindings ?? []
  expect(bindings.find(({ name }) => name === 'DISABLED_FEATURES')?.text).toBe('gateway,search,billing,mail,google,github,redis,files')
  expect(bindings.filter(({ type }) => type === 'r2_bucket')).toEqual([])
})

/** Each run gets one step further. */
const kills: readonly (readonly [call: RegExp, fault: 'hang-up' | 'lost'])[] = [
  [/^POST \/d1\/database$/, 'lost'],
  [/^POST .*\/namespaces$/, 'lost'],
  [/^GET \/workers\/services/, 'hang-up'],
  [/^PUT \/workers\/scripts\/parley$/, 'lost'],
  [/\/schedules$/, 'hang-up'],
  [/\/secrets-bulk$/, 'hang-up'],
]

test.concurrent('a deployment that was killed at any step is completed by the next one', { timeout: manyDeploysMs }, async ({
  onTestFinished,
}) => {
  const { peer, home } = await freshAccount(onTestFinished)
  for (const [call, fault] of kills) {
    let reached = ''
    peer.fault = (line) => {
      // Requests of the dying process are not carried out.
      if (reached !== '') return 'hang-up'
      if (!call.test(line)) return undefined
      reached = line
      home.kill()
      return fault
    }
    expect(await home.deploy(), String(call)).toMatchObject({ status: null })
    expect(reached).toMatch(call)
  }
  peer.fault = () => undefined
  const { BETTER_AUTH_SECRET } = Object.fromEntries(deployedTo(peer).secrets)
  await expectDeployed(home)
  expectComplete(peer)
  expect(deployedTo(peer).secrets.get('BETTER_AUTH_SECRET')).toBe(BETTER_AUTH_SECRET)
})

/** The command is killed after Stripe has carried out one of these requests. */
const stripeCalls = ['POST /v1/products', 'POST /v1/prices', 'POST /v1/billing_portal/configurations', 'POST /v1/webhook_endpoints']

test.concurrent('`enable payments` that was killed at any step is completed by the next one, and nothing exists twice', {
  timeout: manyDeploysMs,
}, async ({ onTestFinished }) => {
  const { peer, home } = await freshAccount(onTestFinished)
  await expectDeployed(home)
  const stripe = await startStripePeer()
  onTestFinished(() => stripe.stop())
  appendFileSync(join(home.dir, '.prod.vars'), `STRIPE_SECRET_KEY=${stripe.secretKey}\nSTRIPE_API_URL=${stripe.url}\n`)
  const enable = () => home.deploy({}, ['--no-check', 'enable', 'payments'])
  for (const call of stripeCalls) {
    stripe.onCall = (line) => {
      if (line === call) home.kill()
    }
    stripe.misbehave(call, 'lost')
    expect(await enable(), call).toMatchObject({ status: null })
  }
  stripe.onCall = () => undefined
  // Before the upload, and after it.
  for (const step of [/^GET \/d1\/database$/, /\/schedules$/]) {
    peer.fault = (line) => {
      if (!step.test(line)) return undefined
      home.kill()
      return 'hang-up'
    }
    expect(await enable(), String(step)).toMatchObject({ status: null })
  }
  peer.fault = () => undefined
  expect(await enable()).toMatchObject({ status: 0 })
  const { products, prices, webhooks, portals } = stripe.setup
  expect([products, prices, webhooks, portals].map(({ length }) => length)).toEqual([1, 1, 1, 1])
  const { secrets, versions } = deployedTo(peer)
  expect(secrets.get('STRIPE_WEBHOOK_SECRET')).toBe(webhooks[0]?.secret)
  expect(secrets.get('PRO_MONTHLY_PRICE_ID')).toBe(prices[0]?.id)
  const disabled = versions.at(-1)?.metadata.bindings.find(({ name }) => name === 'DISABLED_FEATURES')?.text
  expect(disabled).toBe('gateway,search,mail,google,github,redis')
})

test.concurrent('a deployment that does not answer fails with the command that rolls back', { timeout: manyDeploysMs }, async ({
  onTestFinished,
}) => {
  const { home } = await freshAccount(onTestFinished)
  appendFileSync(join(home.dir, '.prod.vars'), 'PUBLIC_URL=http://127.0.0.1:1\n')
  await expectDeployed(home)
  const { status, output } = await home.deploy({}, [])
  expect(status).toBe(1)
  expect(output).toMatch(/does not work:[\s\S]*cannot be reached[\s\S]*Roll back .*: npx wrangler rollback --name parley/)
})
