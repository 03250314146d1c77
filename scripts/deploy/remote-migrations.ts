// Applies migrations to the deployed D1 with wrangler's bookkeeping and D1's file import. `wrangler d1 migrations apply` sends a file as
// one query, and Cloudflare splits it at semicolons. Triggers with a lower-case `begin`, such as ours, then fail with "incomplete input"
// (cloudflare/workers-sdk#15314, #10998). An import parses the file as SQLite does and is atomic. Each file includes its bookkeeping row,
// so an interrupted deployment leaves only complete migrations.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { bookkeeping, migrationNames, migrationText } from '../lib/migration-files.ts'
import { type Call, type Cloudflare, CloudflareError } from './cloudflare-api.ts'

const permission = 'D1 Edit'
/** Most migrations finish at once. One that rewrites a large table may take half an hour. */
const pollAfterMs = { first: 20, longest: 2000, atMost: 1000 }

type Options = { readonly note: (line: string) => void; readonly wait?: (ms: number) => Promise<unknown> }

/** Returns the names applied now. */
export async function applyRemoteMigrations(cloudflare: Cloudflare, databaseId: string, options: Options): Promise<string[]> {
  const path = `/d1/database/${databaseId}`
  await query(cloudflare, path, bookkeeping, z.unknown())
  const applied = await appliedNames(cloudflare, path)
  const ours = migrationNames()
  const foreign = applied.filter((name) => !ours.includes(name))
  if (foreign.length > 0) options.note(`the database is ahead of this checkout: ${foreign.join(', ')}`)
  const pending = ours.filter((name) => !applied.includes(name))
  if (applied.length > 0 && pending.length > 0)
    options.note(`before the migrations the database stands at bookmark ${await bookmark(cloudflare, path)}`)
  for (const name of pending) {
    const sql = `${migrationText(name).trimEnd()}\ninsert into d1_migrations (name) values ('${name}');\n`
    await importFile(cloudflare, path, sql, options.wait ?? sleep).catch(async (cause: unknown) => {
      // The response may be lost after the import, and another deployment may run concurrently. The bookkeeping table decides.
      if ((await appliedNames(cloudflare, path)).includes(name)) return
      throw new Error(`migration ${name} was not applied: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    })
  }
  return pending
}

async function appliedNames(cloudflare: Cloudflare, path: string): Promise<string[]> {
  const rows = await query(cloudflare, path, 'select name from d1_migrations order by id', z.object({ name: z.string() }))
  return rows.map(({ name }) => name)
}

async function query<Row>(cloudflare: Cloudflare, path: string, sql: string, row: z.ZodType<Row>): Promise<Row[]> {
  const result = z.array(z.object({ results: z.array(row), success: z.literal(true) }))
  const call = {
    method: 'POST',
    path: `${path}/query`,
    body: { sql },
    result,
    doing: 'read which migrations are applied',
    permission,
  } as const
  return (await cloudflare.call(call)).flatMap(({ results }) => results)
}

/** The position in D1's time travel before the migrations. */
async function bookmark(cloudflare: Cloudflare, path: string): Promise<string> {
  const result = z.object({ bookmark: z.string() })
  return (await cloudflare.call({ path: `${path}/time_travel/bookmark`, result, doing: "read the database's bookmark", permission }))
    .bookmark
}

const upload = z.object({ upload_url: z.url(), filename: z.string() })
const progress = z.object({
  success: z.boolean(),
  status: z.enum(['complete', 'error', 'active']).optional(),
  at_bookmark: z.string().optional(),
  error: z.string().optional(),
  errors: z.array(z.string()).optional(),
})
type Progress = z.infer<typeof progress>

/** Three calls: request an upload URL, upload the file, start the import. A file that was uploaded before needs only the first. */
async function importFile(cloudflare: Cloudflare, path: string, sql: string, wait: (ms: number) => Promise<unknown>): Promise<void> {
  const etag = createHash('md5').update(sql).digest('hex')
  const ask = <Result>(body: object, result: z.ZodType<Result>) => {
    const call: Call<Result> = { method: 'POST', path: `${path}/import`, body, result, doing: 'import a migration', permission }
    return cloudflare.call(call)
  }
  const started = await ask({ action: 'init', etag }, z.union([upload, progress]))
  let state: Progress
  if ('upload_url' in started) {
    await put(started.upload_url, sql, etag)
    state = await ask({ action: 'ingest', filename: started.filename, etag }, progress)
  } else state = started
  for (let polls = 0; state.status !== 'complete'; polls++) {
    const reasons = state.errors ?? (state.error === undefined ? [] : [state.error])
    if (state.status === 'error' || !state.success) throw new Error(reasons.join('; ') || 'Cloudflare gave no reason')
    if (polls === pollAfterMs.atMost) throw new Error('Cloudflare is still at it; run it again later')
    await wait(Math.min(pollAfterMs.longest, pollAfterMs.first * 2 ** polls))
    state = await ask({ action: 'poll', current_bookmark: state.at_bookmark }, progress)
  }
}

/** Uploads to a signed URL outside the API. */
async function put(url: string, sql: string, etag: string): Promise<void> {
  const response = await fetch(url, { method: 'PUT', body: sql }).catch((error: unknown) => {
    throw new CloudflareError(`the file could not be uploaded (${String(error)})`, 0, [])
  })
  const stored = response.headers.get('etag')?.replaceAll('"', '')
  if (!response.ok || stored !== etag)
    throw new CloudflareError(`the file did not arrive whole (status ${response.status})`, response.status, [])
}
