/**
 * GET /api/account/export: every row of the user, streamed as one JSON file. Each user may run one export at a time and a few per hour.
 * D1 holds the lease, because two requests may run in two isolates.
 */
import { createCounter } from '../auth/counters.ts'
import type { Env } from '../bindings.ts'
import type { RefusalCode } from '../contract/errors.ts'
import { exportLeaseMs, exportsPerHour } from '../contract/limits.ts'
import { exportOf } from '../db/export.ts'
import { extendLease, type Lease, releaseLease, takeLease } from '../db/leases.ts'
import { directoryDb } from '../db/shards.ts'
import { systemClock } from '../lib/clock.ts'
import { logger } from '../lib/logger.ts'
import { pauseAfter } from '../lib/pace.ts'
import type { Settings } from '../settings.ts'
import { type AppContext, readViewer, refuseWith } from './http.ts'

const hourS = 60 * 60

export async function handleExport(c: AppContext): Promise<Response> {
  const { env, var: variables, req } = c
  const viewer = await readViewer(c)
  if (!viewer) return refuseWith(c, 'session_required')
  const nowMs = systemClock()
  const day = new Date(nowMs).toISOString().slice(0, 10)
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-disposition': `attachment; filename="parley-${day}.json"` }
  if (req.method === 'HEAD') return new Response(null, { headers })
  const acquired = await acquireExport(env, variables.settings, viewer.userId)
  if ('code' in acquired) {
    c.header('retry-after', String(acquired.retryS))
    return refuseWith(c, acquired.code)
  }
  return new Response(fileOf(env, viewer.userId, nowMs, acquired), { headers })
}

type Refused = { readonly code: RefusalCode; readonly retryS: number }

/** A refused attempt does not change the lease. Attempts during an export do not count towards the hour. */
async function acquireExport(env: Env, settings: Settings, userId: string): Promise<Lease | Refused> {
  const lease = await takeLease(directoryDb(env), `export:${userId}`, systemClock(), exportLeaseMs)
  if (!lease) return { code: 'export_running', retryS: exportLeaseMs / 1000 }
  const { count, leftS } = await createCounter(env, settings.redis, systemClock)(`export:${userId}`, hourS)
  if (count <= exportsPerHour) return lease
  await release(env, lease)
  return { code: 'exports_too_often', retryS: leftS }
}

function fileOf(env: Env, userId: string, nowMs: number, lease: Lease): ReadableStream<Uint8Array> {
  let extendedMs = systemClock()
  /** Limits the share of time that an export uses D1 and the isolate. */
  const pause = async (pageMs: number) => {
    await pauseAfter(pageMs, 'shared')
    if (systemClock() - extendedMs < exportLeaseMs / 4) return
    extendedMs = systemClock()
    // If the reader stalled for longer than the lease, another export may have started.
    if (!(await extendLease(directoryDb(env), lease, extendedMs + exportLeaseMs))) throw new Error('the export lost its lease')
  }
  const pages = exportOf(env, userId, nowMs, pause)
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await pages.next()
        if (!done) return controller.enqueue(encoder.encode(value))
      } catch (error) {
        await release(env, lease)
        // Fails the download, so that the browser does not keep a truncated file as complete.
        throw error
      }
      await release(env, lease)
      controller.close()
    },
    // The platform may end the request without calling this. The lease then expires.
    cancel: () => release(env, lease),
  })
}

async function release(env: Env, lease: Lease): Promise<void> {
  try {
    await releaseLease(directoryDb(env), lease)
  } catch (error) {
    logger.warn('export_lease_kept', { reason: error instanceof Error ? error.name : 'unknown' })
  }
}
