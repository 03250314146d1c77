/**
 * Daily exports of the databases to R2, as `backups/NAME/DATE.sql`. The scheduled work starts at most one export in a run and one in an hour for
 * each database, because an export blocks its database. An object appears only when it is complete, so its existence is the only state. A run
 * that is killed leaves nothing but its lease, and a later run starts again (docs/decisions/0140-back-up-d1-with-its-own-export.md).
 */
import * as z from 'zod'
import { boundedJson } from '../lib/bounded-body.ts'
import { logger } from '../lib/logger.ts'
import type { Settings } from '../settings.ts'
import type { FileBindings } from './file-store.ts'
import { takeLease } from './leases.ts'
import { directoryDb } from './shards.ts'

export type Backups = NonNullable<Settings['backups']>

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
/** Chosen: with a lease of one hour, a backup is tried six times at most, and only near the chosen hour. */
const windowMs = 6 * hourMs
/** Chosen: longer than a run may take, which is 15 minutes. */
const leaseMs = hourMs
/** Chosen: with the pause, ten minutes, so that the rest of a run suffices to store the file. */
const maxPolls = 600
const pollMs = 1000
/** Chosen. D1 cancels an export that is not polled, so a failed poll is repeated. */
const maxFailedPolls = 5
const requestMs = 30_000
const downloadMs = 10 * 60_000
/** Platform limit: parts of an upload have at least 5 MiB, except the last. */
const partBytes = 8 * 1024 * 1024
const maxAnswerBytes = 1_000_000

const prefixOf = (database: string): string => `backups/${database}/`

/** The backup that is due, by its date. Null outside the window. */
function dueDate({ hour }: Backups, nowMs: number): string | null {
  const startMs = Math.floor((nowMs - hour * hourMs) / dayMs) * dayMs + hour * hourMs
  return nowMs - startMs < windowMs ? new Date(startMs).toISOString().slice(0, 10) : null
}

/** Returns the number of stored backups. `pauseMs`: between two polls. */
export async function storeDueBackup(env: FileBindings, backups: Backups | null, nowMs: number, pauseMs = pollMs): Promise<number> {
  const bucket = env.FILES
  const date = backups && dueDate(backups, nowMs)
  if (!backups || !bucket || date === null) return 0
  for (const database of backups.databases) {
    const key = `${prefixOf(database)}${date}.sql`
    if (await bucket.head(key)) continue
    if (!(await takeLease(directoryDb(env), `backup:${database}`, nowMs, leaseMs))) continue
    const bytes = await storeExport(bucket, key, await runExport(backups, database, pauseMs))
    logger.info('backup_stored', { database, bytes })
    await deleteOld(bucket, database, backups.copies)
    return 1
  }
  return 0
}

const envelope = <Result>(result: z.ZodType<Result>) =>
  z.object({
    success: z.boolean(),
    errors: z.array(z.object({ code: z.number(), message: z.string() })).default([]),
    result: result.nullish(),
  })

const databasesSchema = z.array(z.object({ uuid: z.string(), name: z.string() }))
const exportSchema = z.object({
  status: z.string().optional(),
  at_bookmark: z.string().optional(),
  error: z.string().optional(),
  result: z.object({ signed_url: z.url() }).nullish(),
})

/** Throws if the token cannot read the database. */
export async function findDatabase(backups: Backups, name: string): Promise<string> {
  const found = await call(backups, `?name=${encodeURIComponent(name)}`, undefined, databasesSchema)
  // Cloudflare also returns other names that contain this one.
  const database = found.find((one) => one.name === name)
  if (!database) throw new Error(`the account has no D1 database named ${name}`)
  return database.uuid
}

async function call<Result>({ url, accountId, token }: Backups, path: string, body: unknown, schema: z.ZodType<Result>): Promise<Result> {
  const response = await fetch(`${url}/accounts/${accountId}/d1/database${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // A redirect would forward the token.
    redirect: 'manual',
    signal: AbortSignal.timeout(requestMs),
  })
  const parsed = envelope(schema).safeParse(await boundedJson(response, maxAnswerBytes).catch(() => null))
  const reason = parsed.data?.errors.map(({ code, message }) => `${code} ${message}`).join(', ')
  if (!response.ok || !parsed.data?.success || parsed.data.result == null)
    throw new Error(`Cloudflare responds with status ${response.status}${reason ? ` (${reason})` : ''}`)
  return parsed.data.result
}

/** Returns the address of the exported file. */
async function runExport(backups: Backups, name: string, pauseMs: number): Promise<string> {
  const path = `/${await findDatabase(backups, name)}/export`
  let bookmark: string | undefined
  let failedPolls = 0
  for (let polls = 0; polls < maxPolls; polls++) {
    if (polls > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    const body = { output_format: 'polling', ...(bookmark !== undefined && { current_bookmark: bookmark }) }
    try {
      const { status, at_bookmark, error, result } = await call(backups, path, body, exportSchema)
      failedPolls = 0
      if (status === 'error') throw new ExportError(`the export of ${name} failed: ${error ?? 'unknown'}`)
      if (status === 'complete' && result) return result.signed_url
      bookmark ??= at_bookmark
      if (bookmark === undefined) throw new ExportError(`the export of ${name} has no bookmark to poll it by`)
    } catch (error) {
      failedPolls += 1
      // Without a bookmark, repeating would start a second export.
      if (error instanceof ExportError || bookmark === undefined || failedPolls >= maxFailedPolls) throw error
    }
  }
  throw new Error(`the export of ${name} did not end within ${maxPolls} polls`)
}

class ExportError extends Error {
  override readonly name = 'ExportError'
}

/** Returns the size. The object exists afterwards, or not at all. */
async function storeExport(bucket: R2Bucket, key: string, url: string): Promise<number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(downloadMs) })
  if (!response.ok || !response.body) throw new Error(`the exported file responds with status ${response.status}`)
  const upload = await bucket.createMultipartUpload(key, { httpMetadata: { contentType: 'application/sql' } })
  try {
    const parts: R2UploadedPart[] = []
    let bytes = 0
    for await (const part of inParts(response.body)) {
      // An error page with status 200 must not count as a backup.
      if (bytes === 0 && !/^(?:PRAGMA|CREATE|INSERT) /.test(new TextDecoder().decode(part.subarray(0, 16))))
        throw new Error('the exported file is not SQL')
      parts.push(await upload.uploadPart(parts.length + 1, part))
      bytes += part.byteLength
    }
    if (bytes === 0) throw new Error('the exported file is empty')
    await upload.complete(parts)
    return bytes
  } catch (error) {
    // R2 deletes the parts after seven days if this fails too.
    await upload.abort().catch(() => undefined)
    throw error
  }
}

async function* inParts(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let part = new Uint8Array(partBytes)
  let filled = 0
  for await (const chunk of body) {
    for (let at = 0; at < chunk.byteLength; ) {
      const taken = chunk.subarray(at, at + partBytes - filled)
      part.set(taken, filled)
      filled += taken.byteLength
      at += taken.byteLength
      if (filled < partBytes) continue
      yield part
      part = new Uint8Array(partBytes)
      filled = 0
    }
  }
  if (filled > 0) yield part.subarray(0, filled)
}

/** The dates of the backups, the newest first. Ignores other objects. */
export async function backupDates(bucket: R2Bucket, database: string): Promise<readonly string[]> {
  const prefix = prefixOf(database)
  const dates: string[] = []
  let cursor: string | undefined
  do {
    const page = await bucket.list({ prefix, ...(cursor !== undefined && { cursor }) })
    for (const { key } of page.objects) dates.push(...(/^(\d{4}-\d\d-\d\d)\.sql$/.exec(key.slice(prefix.length))?.slice(1, 2) ?? []))
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor !== undefined)
  return dates.sort().reverse()
}

/** Counts backups and not days, so that days without a backup delete nothing. */
async function deleteOld(bucket: R2Bucket, database: string, copies: number): Promise<void> {
  const old = (await backupDates(bucket, database)).slice(copies)
  // Platform limit: R2 deletes 1,000 keys in one call.
  if (old.length > 0) await bucket.delete(old.slice(0, 1000).map((date) => `${prefixOf(database)}${date}.sql`))
}
