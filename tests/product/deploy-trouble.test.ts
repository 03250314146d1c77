/**
 * Failures of a deployment to Cloudflare: each prints its reason and what to do, and the next deployment completes. Each test has a
 * separate account.
 */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrationNames } from '../../scripts/lib/migration-files.ts'
import type { Checkout, Outcome } from '../support/checkout.ts'
import type { CloudflarePeer } from '../support/peers/cloudflare.ts'
import type { Worker } from '../support/peers/cloudflare-account.ts'
import { deployedTo, expectWhole, freshAccount, manyDeploysMs } from './deployment.ts'

type Scene = { readonly peer: CloudflarePeer; readonly home: Checkout }
type Trouble = {
  readonly name: string
  /** Causes the failure, deploys, and removes the cause. */
  readonly meet: (scene: Scene) => Promise<Outcome>
  readonly says: RegExp
  /** The resources that exist afterwards. */
  readonly leaves: Partial<{ databases: number; namespaces: number; buckets: number; workers: number }>
}

const foreign: Worker = {
  name: 'parley',
  tag: 'somebody-else',
  migrationTag: null,
  classes: new Set(),
  secrets: new Map(),
  versions: [],
  deployments: [],
  assets: null,
  crons: [],
  domains: [],
  subdomain: { enabled: true, previews_enabled: false },
}
const broken = 'create table half_made (id text);\ninsert into nowhere values (1);\n'

/** In the order in which a deployment meets them, so that each one finds the remains of the previous. */
const troubles: readonly Trouble[] = [
  {
    name: 'neither a token nor a login',
    meet: ({ home }) => home.deploy({ CLOUDFLARE_API_TOKEN: '' }),
    says: /no Cloudflare account to deploy to; set CLOUDFLARE_API_TOKEN .*, or run `npx wrangler login`/,
    leaves: { databases: 0 },
  },
  {
    name: 'a token for several accounts',
    meet: async ({ peer, home }) => {
      peer.neighbours.push({ id: 'f'.repeat(32), name: 'Next door' })
      const outcome = await home.deploy()
      peer.neighbours.pop()
      return outcome
    },
    says: /reaches several Cloudflare accounts; choose one:[\s\S]*CLOUDFLARE_ACCOUNT_ID=f{32} {3}Next door/,
    leaves: { databases: 0 },
  },
  {
    name: 'a token that is none',
    meet: ({ home }) => home.deploy({ CLOUDFLARE_API_TOKEN: 'mistyped' }),
    says: /would not list your accounts: Invalid API Token \[1000\]\. The API token has to be valid/,
    leaves: { databases: 0 },
  },
  {
    name: 'an account without a workers.dev address',
    meet: async ({ peer, home }) => {
      peer.account.subdomain = null
      const outcome = await home.deploy()
      peer.account.subdomain = 'somebody'
      return outcome
    },
    says: /no workers\.dev address yet; choose one at https:\/\/dash\.cloudflare\.com\/\w+\/workers\/onboarding/,
    leaves: { databases: 0 },
  },
  {
    name: 'a Worker of the same name that is something else',
    meet: async ({ peer, home }) => {
      peer.account.workers.set('parley', foreign)
      const outcome = await home.deploy()
      peer.account.workers.delete('parley')
      return outcome
    },
    says: /already has a Worker named parley, and it is not Parley; choose another "name"/,
    leaves: { databases: 0 },
  },
  {
    name: 'a setting that the Worker would refuse',
    meet: async ({ home }) => {
      appendFileSync(join(home.dir, '.prod.vars'), 'PUBLIC_URL=chat\n')
      const outcome = await home.deploy()
      writeFileSync(join(home.dir, '.prod.vars'), home.read('.prod.vars').replace('PUBLIC_URL=chat\n', ''))
      return outcome
    },
    says: /Invalid base URL: PUBLIC_URL is not a valid http\(s\) URL without password, \? and #\. Mend it in \.prod\.vars/,
    leaves: { databases: 0 },
  },
  {
    name: 'a token without the right',
    meet: ({ peer, home }) => {
      peer.misbehave('GET /d1/database', { status: 403, code: 10000, message: 'Authentication error' })
      return home.deploy()
    },
    says: /would not list the D1 databases: Authentication error \[10000\].* allowed to "D1 Edit"/,
    leaves: { databases: 0 },
  },
  {
    name: 'an account without R2',
    meet: async ({ peer, home }) => {
      peer.account.hasR2 = false
      const outcome = await home.deploy()
      peer.account.hasR2 = true
      return outcome
    },
    says: /R2 is not switched on for this account\. Switch it on at .*\/r2, or go without attachments/,
    leaves: { databases: 1, namespaces: 1, buckets: 0 },
  },
  {
    name: 'a migration that fails in its middle',
    meet: async ({ home }) => {
      const file = join(home.dir, 'migrations', '9999_broken.sql')
      writeFileSync(file, broken)
      const outcome = await home.deploy()
      rmSync(file)
      return outcome
    },
    says: /migration 9999_broken\.sql was not applied: no such table: nowhere: SQLITE_ERROR/,
    leaves: { databases: 1, namespaces: 1, buckets: 1, workers: 0 },
  },
  {
    name: 'a refused upload',
    meet: ({ peer, home }) => {
      peer.misbehave('PUT /workers/scripts/parley', { status: 413, code: 10027, message: 'Your Worker exceeded the size limit of 3 MiB.' })
      return home.deploy()
    },
    says: /size limit of 3 MiB[\s\S]*the upload failed; wrangler says why above\. Everything before it is done and stays: run it again/,
    leaves: { workers: 0 },
  },
]

test.concurrent('every failure prints a sentence and sets an exit code, and the next deployment continues', {
  timeout: manyDeploysMs,
}, async ({ onTestFinished }) => {
  const scene = await freshAccount(onTestFinished)
  const { account } = scene.peer
  for (const { name, meet, says, leaves } of troubles) {
    const { status, output } = await meet(scene)
    expect(status, name).toBe(1)
    expect(output, name).toMatch(says)
    expect(output, `${name}: no secret, no stack`).not.toMatch(new RegExp(`${scene.peer.token}|mistyped|    at .*\\.ts:\\d`))
    const { databases, namespaces, buckets, workers } = account
    const left = { databases: databases.length, namespaces: namespaces.length, buckets: buckets.length, workers: workers.size }
    expect(left, name).toMatchObject(leaves)
  }
  const [database] = account.databases
  const tables = database?.sqlite.prepare("select name from sqlite_master where name = 'half_made'").all()
  expect({ tables, applied: database?.sqlite.prepare('select count(*) as n from d1_migrations').get()?.n }).toEqual({
    tables: [],
    applied: migrationNames().length,
  })

  // The script and wrangler retry temporary failures.
  scene.peer.misbehave('GET /d1/database', { status: 500, code: 7500, message: 'internal error' })
  scene.peer.misbehave('GET /storage', { status: 429, code: 971, message: 'slow down', headers: { 'retry-after': '1' } }, 'lost')
  scene.peer.misbehave('PUT /workers/scripts/parley', { status: 500, code: 10013, message: 'An unknown error has occurred' })
  expect(await scene.home.deploy()).toMatchObject({ status: 0 })
  expectWhole(scene.peer)
})

test.concurrent('ids of another account are refused; an account without R2 and workers.dev address deploys without files to a custom domain', {
  timeout: manyDeploysMs,
}, async ({ onTestFinished }) => {
  const { peer, home } = await freshAccount(onTestFinished)
  const ours = home.read('wrangler.jsonc')
  const ofSomebodyElse = ours.replace('00000000-0000-0000-0000-000000000000', '11111111-1111-4111-8111-111111111111')
  writeFileSync(join(home.dir, 'wrangler.jsonc'), ofSomebodyElse)
  const { status, output } = await home.deploy()
  expect(status).toBe(1)
  expect(output).toMatch(/wrangler\.jsonc names a D1 database that this account does not have \(.*\)\. Deploy to the account that has it/)
  expect(peer.account.databases).toEqual([])

  peer.account.hasR2 = false
  peer.account.subdomain = null
  const vars = '"vars": { "ENVIRONMENT": "production", "DISABLED_FEATURES": "files" }'
  const routes = '"routes": [{ "pattern": "chat.example.com", "custom_domain": true }]'
  writeFileSync(join(home.dir, 'wrangler.jsonc'), ours.replace(/"vars": .*/, `${vars},\n  ${routes}`))
  const deployed = await home.deploy()
  expect(deployed).toMatchObject({ status: 0 })
  const { versions, domains, subdomain, secrets } = deployedTo(peer)
  expect({ domains, subdomain, address: secrets.get('PUBLIC_URL'), buckets: peer.account.buckets }).toEqual({
    domains: ['chat.example.com'],
    subdomain: { enabled: false, previews_enabled: false },
    address: 'https://chat.example.com',
    buckets: [],
  })
  const bindings = versions[0]?.metadata.bindings ?? []
  expect(bindings.find(({ name }) => name === 'DISABLED_FEATURES')?.text).toBe('files')
  expect(bindings.filter(({ type }) => type === 'r2_bucket')).toEqual([])
})

/**
 * Each run reaches one more call, and is killed before or after that call. tests/sim/deploy/cuts.test.ts cuts the calls before the upload.
 */
const kills: readonly (readonly [call: RegExp, when: 'hang-up' | 'lost'])[] = [
  [/^PUT \/uploads/, 'lost'],
  [/assets\/upload$/, 'lost'],
  [/^PUT \/workers\/scripts\/parley$/, 'lost'],
  [/\/schedules$/, 'hang-up'],
]

test.concurrent('after a kill at any step, the next deployment completes', { timeout: manyDeploysMs }, async ({ onTestFinished }) => {
  const { peer, home } = await freshAccount(onTestFinished)
  for (const [call, when] of kills) {
    let reached = ''
    peer.watch = (line) => {
      // Requests of a dying process have no effect.
      if (reached !== '') return 'hang-up'
      if (!call.test(line)) return undefined
      reached = line
      home.kill()
      return when
    }
    expect(await home.deploy(), String(call)).toMatchObject({ status: null })
    expect(reached).toMatch(call)
  }
  peer.watch = () => undefined
  const secrets = new Map(deployedTo(peer).secrets)
  expect(await home.deploy()).toMatchObject({ status: 0 })
  expectWhole(peer)
  expect(deployedTo(peer).secrets).toEqual(secrets)
})
