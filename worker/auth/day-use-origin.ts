/**
 * Links a new user to usage of the same UTC day: a guest to the counter of its network, an account to the usage of a deleted account with the
 * same e-mail address. Otherwise a new guest, or an account that is deleted and created again, would get a new day's credits. Networks and
 * addresses are stored as keyed digests, so that no address can be read from them.
 */
import { dayOf } from '../contract/access.ts'
import { type DayEmailDigest, readAccountEmail, readUsedBefore } from '../db/day-use.ts'
import { contentDb, type DatabaseBindings } from '../db/shards.ts'
import { ensureUserRows, hasUsage, type UsageSource } from '../db/user-rows.ts'
import { keyedDigest } from '../lib/digests.ts'
import { type Networks, publicNetworksOf, wideSizes } from './networks.ts'

type Created = { readonly id: string; readonly email: string; readonly isAnonymous?: unknown }

export async function usageSourceOf(
  env: DatabaseBindings,
  secret: string,
  { id, email, isAnonymous }: Created,
  headers: Headers | null,
): Promise<UsageSource | null> {
  const nowMs = Date.now()
  if (isAnonymous !== true) return usedBeforeBy(env, await dayEmailDigest(secret, email, nowMs), nowMs)
  // Without a public client IP, as on a local server, each guest is counted alone.
  const networks: Networks = publicNetworksOf(headers) ?? { line: id }
  const digestOf = (network: string) => keyedDigest(secret, 'guest network', network)
  const wide = wideSizes.map(async (size) => {
    const network = networks[size]
    return network === undefined ? [] : [{ size, wide: await digestOf(network) }]
  })
  return { network: await digestOf(networks.line), wide: (await Promise.all(wide)).flat() }
}

/** The digest contains the day, so that digests of two days cannot be linked. */
async function dayEmailDigest(secret: string, email: string, nowMs: number): Promise<DayEmailDigest> {
  const day = dayOf(nowMs)
  return { digest: await keyedDigest(secret, 'address of day', `${day}:${email.trim().toLowerCase()}`), day }
}

/** Null for guests, whose placeholder address is never used again. */
export async function emailDigestOf(env: DatabaseBindings, secret: string, userId: string): Promise<DayEmailDigest | null> {
  const email = await readAccountEmail(env, userId)
  return email === null ? null : dayEmailDigest(secret, email, Date.now())
}

export async function repairUserRows(env: DatabaseBindings, secret: string, userId: string): Promise<void> {
  const database = contentDb(env, userId)
  const digest = (await hasUsage(database, userId)) ? null : await emailDigestOf(env, secret, userId)
  await ensureUserRows(database, userId, digest && (await usedBeforeBy(env, digest, Date.now())))
}

async function usedBeforeBy(env: DatabaseBindings, digest: DayEmailDigest, nowMs: number): Promise<UsageSource | null> {
  const usedBefore = await readUsedBefore(env, digest)
  return usedBefore && { usedBefore, nowMs }
}
