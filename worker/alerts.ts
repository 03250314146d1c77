/**
 * Mails the operator when a figure passes its threshold. At most one mail a day for each figure: the lease of a sent mail holds for a day. A
 * mail that could not be sent is tried again by the next run.
 */
import { alertMail, createMailer } from './auth/mails.ts'
import type { Env } from './bindings.ts'
import { countOpenTurns, type EndedTurns, readEndedTurns, readSizes } from './db/alert-figures.ts'
import { type CatalogueRow, readCatalogue } from './db/catalogue.ts'
import { extendLease, takeLease } from './db/leases.ts'
import { contentDbs, directoryDb } from './db/shards.ts'
import type { Settings } from './settings.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
/** Chosen: longer than a mail takes, shorter than the pause between two runs. */
const sendingMs = 60_000
/** Chosen: below this, a few failures of one user would be a large share. */
const minTurns = 10

/** The operator gets one mail a day for each `name`. */
export type Alert = { readonly name: string; readonly sentence: string }

/** Returns the number of mails. */
export async function alertOperator(env: Env, settings: Settings, nowMs: number): Promise<number> {
  const { alerts } = settings
  if (!alerts) return 0
  const send = createMailer(env, settings)
  let sent = 0
  for (const alert of await findAlerts(env, alerts, nowMs)) {
    const lease = await takeLease(directoryDb(env), `alert:${alert.name}`, nowMs, sendingMs)
    if (!lease) continue
    await send(alertMail(alerts.to, alert.sentence))
    await extendLease(directoryDb(env), lease, nowMs + dayMs)
    sent += 1
  }
  return sent
}

async function findAlerts(env: Env, alerts: NonNullable<Settings['alerts']>, nowMs: number): Promise<readonly Alert[]> {
  const databases = contentDbs(env)
  const [ended, open, sizes] = await Promise.all([
    Promise.all(databases.map((database) => readEndedTurns(database, nowMs - hourMs))),
    Promise.all(databases.map((database) => countOpenTurns(database, nowMs - hourMs))),
    Promise.all([...new Set([directoryDb(env), ...databases])].map(readSizes)),
  ])
  const turns = ended.flat()
  const catalogue = turns.length > 0 ? await readCatalogue(directoryDb(env)) : []
  const stuck = open.reduce((sum, count) => sum + count, 0)
  const feedRows = Math.max(...sizes.map((size) => size.feedRows))
  const megabytes = Math.round(Math.max(...sizes.map(({ bytes }) => bytes)) / 1e6)
  return [
    ...failingProviders(turns, catalogue, alerts.failedPercent),
    ...(stuck >= alerts.stuckTurns ? [{ name: 'stuck', sentence: `${stuck} answers have been open for more than an hour.` }] : []),
    ...(feedRows >= alerts.feedRows ? [{ name: 'feed', sentence: `The change feed of a database has ${feedRows} rows.` }] : []),
    ...(megabytes >= alerts.databaseMb ? [{ name: 'size', sentence: `A database has ${megabytes} MB. D1 holds 10,000 MB.` }] : []),
  ]
}

/** By connection and maker, such as `gateway openai`. A model that has left the catalogue counts by its id. */
export function failingProviders(
  turns: readonly EndedTurns[],
  catalogue: readonly Pick<CatalogueRow, 'id' | 'provider' | 'slug'>[],
  failedPercent: number,
): readonly Alert[] {
  const names = new Map(
    catalogue.map(({ id, provider, slug }) => [id, slug.includes('/') ? `${provider} ${slug.split('/')[0]}` : provider]),
  )
  const sums = new Map<string, { all: number; failed: number }>()
  for (const { modelId, status, turns: count } of turns) {
    const provider = names.get(modelId) ?? modelId
    const sum = sums.get(provider) ?? { all: 0, failed: 0 }
    sums.set(provider, { all: sum.all + count, failed: sum.failed + (status === 'failed' ? count : 0) })
  }
  return [...sums].flatMap(([provider, { all, failed }]) => {
    if (all < minTurns || failed * 100 < failedPercent * all) return []
    return [{ name: `failed:${provider}`, sentence: `${failed} of ${all} answers of ${provider} failed in the last hour.` }]
  })
}
