/** A new account, a checkout to deploy from, and the expected result. */
import { expect, type TestContext } from 'vitest'
import { migrationNames } from '../../scripts/lib/migration-files.ts'
import { wranglerFile } from '../../scripts/lib/paths.ts'
import { readWranglerConfig } from '../../scripts/lib/wrangler-config.ts'
import { type Checkout, checkout } from '../support/checkout.ts'
import { type CloudflarePeer, startCloudflarePeer } from '../support/peers/cloudflare.ts'
import type { Worker } from '../support/peers/cloudflare-account.ts'

/** A deployment takes a second or two on an idle machine. */
export const manyDeploysMs = 4 * 60_000

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

export function deployedTo({ account }: CloudflarePeer): Worker {
  const worker = account.workers.get(config.name)
  if (!worker) throw new Error('nothing is deployed')
  return worker
}

/** Nothing is missing or duplicated, and no request left this machine. */
export function expectWhole(peer: CloudflarePeer) {
  const { databases, namespaces, buckets } = peer.account
  const names = databases.map(({ name, sqlite }) => [
    name,
    sqlite
      .prepare('select name from d1_migrations order by id')
      .all()
      .map((row) => row.name),
  ])
  expect({ names, namespaces: namespaces.map(({ title }) => title), buckets }).toEqual({
    names: [['parley', migrationNames()]],
    namespaces: ['parley-first-pages'],
    buckets: ['parley-files'],
  })
  const { crons, subdomain, migrationTag, assets, deployments, versions, secrets } = deployedTo(peer)
  expect({ crons, enabled: subdomain.enabled, migrationTag }).toEqual({ crons: config.triggers.crons, enabled: true, migrationTag: 'v1' })
  expect([...(assets?.manifest.values() ?? [])].every(({ hash }) => peer.account.files.has(hash))).toBe(true)
  expect(deployments[0]).toBe(versions.at(-1)?.id)
  for (const name of ['PUBLIC_URL', 'BETTER_AUTH_SECRET', 'CRON_SECRET']) expect(secrets.get(name), name).toBeTruthy()
  expect(peer.strays).toEqual([])
}
