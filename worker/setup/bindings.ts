/** What Cloudflare gave this Worker: its address, its database, its stores. */
import { schemaGaps } from '../db/schema-gaps.ts'
import { contentDbs, directoryDb } from '../db/shards.ts'
import type { Env, Settings } from '../env.ts'
import { type Finding, works, wrong } from './finding.ts'

export function checkAddress({ publicUrl }: Settings, requestUrl: string): Finding {
  const { origin } = new URL(requestUrl)
  if (publicUrl === origin) return works('This page was asked for by PUBLIC_URL.')
  return wrong(`This page was asked for as ${origin}, but PUBLIC_URL names another address: sign-in and payment lead people there.`)
}

export async function checkDatabase(env: Env): Promise<Finding> {
  const databases = new Set([directoryDb(env), ...contentDbs(env)])
  const gaps = (await Promise.all([...databases].map(schemaGaps))).flat()
  if (gaps.length === 0) return works('D1 answers, and every migration is applied.')
  return wrong(`Migrations are missing (npm run deploy applies them): no ${gaps.slice(0, 5).join(', ')}.`)
}

/** Two may try at the same moment. */
const newProbe = () => `setup/probe-${crypto.randomUUID()}`

export async function checkHints({ HINTS }: Env): Promise<Finding> {
  if (!HINTS) return wrong('No namespace is bound as HINTS.')
  const probe = newProbe()
  await HINTS.put(probe, 'written', { expirationTtl: 60 })
  await HINTS.get(probe)
  await HINTS.delete(probe)
  return works('Can be written and read.')
}

/** As files are: written, read in a part, removed. */
export async function checkFiles({ FILES }: Env): Promise<Finding> {
  if (!FILES) return wrong('No bucket is bound as FILES.')
  const probe = newProbe()
  await FILES.put(probe, 'written')
  const part = await FILES.get(probe, { range: { offset: 0, length: 4 } })
  const text = await part?.text()
  await FILES.delete(probe)
  return text === 'writ' ? works('Can be written and read.') : wrong('What was written is not there.')
}
