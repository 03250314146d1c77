// Deployments to a loopback Cloudflare account, and the state that a completed deployment leaves.
import { expect, type TestContext } from 'vitest'
import { migrationNames } from '../../scripts/lib/migration-files.ts'
import { wranglerFile } from '../../scripts/lib/paths.ts'
import { readWranglerConfig } from '../../scripts/lib/wrangler-config.ts'
import { type Checkout, checkout } from '../support/checkout.ts'
import { type CloudflarePeer, startCloudflarePeer } from '../support/peers/cloudflare.ts'
import type { Worker } from '../support/peers/cloudflare-account.ts'

/** A deployment starts up to ten wrangler processes, and the long tests make 20 deployments at once. Only a hanging one must fail. */
export const manyDeploysMs = 15 * 60_000

export const config = readWranglerConfig(wranglerFile)

export async function freshAccount(onTestFinished: TestContext['onTestFinished']) {
  const peer = await startCloudflarePeer()
  onTestFinished(() => peer.stop())
  return { peer, home: aCheckout(peer, onTestFinished) }
}

export function aCheckout(peer: CloudflarePeer, onTestFinished: TestContext['onTestFinished']): Checkout {
  const made = checkout(peer)
  onTestFinished(() => made.remove())
  return made
}

/** Returns the output. */
export async function expectDeployed(home: Checkout, ...options: Parameters<Checkout['deploy']>): Promise<string> {
  const { status, output } = await home.deploy(...options)
  expect(status, output).toBe(0)
  return output
}

export function deployedTo({ account }: CloudflarePeer): Worker {
  const worker = account.workers.get(config.name)
  if (!worker) throw new Error('nothing is deployed')
  return worker
}

/** Every resource exists once, every migration is applied once, and no request left this machine. */
export function expectComplete(peer: CloudflarePeer, databaseNames: readonly string[] = ['parley']) {
  const { databases, namespaces, buckets } = peer.account
  const migrations = databases.map(({ name, sqlite }) => [
    name,
    sqlite
      .prepare('select name from d1_migrations order by id')
      .all()
      .map((row) => row.name),
  ])
  expect({ migrations, namespaces: namespaces.map(({ title }) => title), buckets }).toEqual({
    migrations: databaseNames.map((name) => [name, migrationNames()]),
    namespaces: ['parley-first-pages'],
    buckets: ['parley-files'],
  })
  const { crons, subdomain, migrationTag, secrets } = deployedTo(peer)
  expect({ crons, enabled: subdomain.enabled, migrationTag }).toEqual({ crons: config.triggers.crons, enabled: true, migrationTag: 'v1' })
  for (const name of ['PUBLIC_URL', 'BETTER_AUTH_SECRET', 'CRON_SECRET']) expect(secrets.get(name), name).toBeTruthy()
  expect(peer.blockedRequests).toEqual([])
}
