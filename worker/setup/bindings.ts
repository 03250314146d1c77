/** Checks of the Cloudflare bindings: address, databases, KV and R2. */

import type { Env } from '../bindings.ts'
import { schemaGaps } from '../db/schema-gaps.ts'
import { contentDbs, directoryDb } from '../db/shards.ts'
import type { Settings } from '../settings.ts'
import { type Finding, works, wrong } from './finding.ts'

export function checkAddress({ publicUrl }: Settings, requestUrl: string): Finding {
  const { origin } = new URL(requestUrl)
  if (publicUrl === origin) return works('This page was requested at PUBLIC_URL.')
  return wrong(`This page was requested at ${origin}, but PUBLIC_URL is another address. Sign-in and payments redirect to PUBLIC_URL.`)
}

export async function checkDatabase(env: Env): Promise<Finding> {
  const databases = new Set([directoryDb(env), ...contentDbs(env)])
  const gaps = (await Promise.all([...databases].map(schemaGaps))).flat()
  if (gaps.length === 0) return works('D1 is reachable and every migration is applied.')
  return wrong(`Migrations are missing (npm run deploy applies them): ${gaps.slice(0, 5).join(', ')}.`)
}

/** A unique key, because two checks may run at the same time. */
const newProbe = () => `setup/probe-${crypto.randomUUID()}`

export async function checkFirstPages({ FIRST_PAGES }: Env): Promise<Finding> {
  if (!FIRST_PAGES) return wrong('No namespace is bound as FIRST_PAGES.')
  const probe = newProbe()
  await FIRST_PAGES.put(probe, 'written', { expirationTtl: 60 })
  await FIRST_PAGES.get(probe)
  await FIRST_PAGES.delete(probe)
  return works('Write and read succeed.')
}

/** Uses the bucket as the product does: write, range read, delete. */
export async function checkFiles({ FILES }: Env): Promise<Finding> {
  if (!FILES) return wrong('No bucket is bound as FILES.')
  const probe = newProbe()
  await FILES.put(probe, 'written')
  const part = await FILES.get(probe, { range: { offset: 0, length: 4 } })
  const text = await part?.text()
  await FILES.delete(probe)
  return text === 'writ' ? works('Write and read succeed.') : wrong('The written file could not be read back.')
}
