/**
 * GET /share/:id: the public page of a shared thread. GET /share/:id/files/:index: one of its files. POST /api/shares/:id/copy: copies the
 * thread into the threads of the visitor. A missing, foreign, expired and revoked link get the same response.
 */
import * as z from 'zod'
import { createCounter } from '../auth/counters.ts'
import { networksOf } from '../auth/networks.ts'
import { sharesRetryAfterS } from '../auth/rate-limits.ts'
import type { RefusalCode } from '../contract/errors.ts'
import type { ShareCopyBody } from '../contract/http.ts'
import { newThreadIdSchema, shareIdSchema } from '../contract/ids.ts'
import { extendLease, takeLease } from '../db/leases.ts'
import { directoryDb } from '../db/shards.ts'
import { copyShare, isCopied, readShare, readSharedFile, type SharedThread } from '../db/shares.ts'
import { pauseMsAfter } from '../lib/pace.ts'
import { missingShare, sharePage, tooManyShares } from '../page/share-page.ts'
import { notify } from '../user-sync/rpc.ts'
import { planOfViewer, serveFile } from './files.ts'
import { type AppContext, originOf, readViewer, refuseWith } from './http.ts'

export async function handleShare(c: AppContext): Promise<Response> {
  const retryS = await retryAfterS(c)
  if (retryS !== null) return tooManyShares(c.req.raw, retryS)
  const shared = await sharedBy(c)
  if (!shared) return missingShare(c.env, c.req.raw)
  return sharePage(c.env, c.req.raw, originOf(c), c.var.settings.legal, shared)
}

export async function handleSharedFile(c: AppContext): Promise<Response> {
  const retryS = await retryAfterS(c)
  if (retryS !== null) return tooManyShares(c.req.raw, retryS)
  const shared = c.var.settings.hasFiles ? await sharedBy(c) : null
  const index = Number(/^\d{1,4}$/.exec(c.req.param('index') ?? '')?.[0] ?? Number.NaN)
  const file = shared && (await readSharedFile(c.env, shared, index))
  if (!file) return missingShare(c.env, c.req.raw)
  const response = await serveFile(c, file)
  response.headers.set('x-robots-tag', 'noindex')
  return response
}

const copyArgs = z.object({ threadId: newThreadIdSchema })

export async function handleShareCopy(c: AppContext): Promise<Response> {
  const viewer = await readViewer(c)
  if (!viewer) return refuseWith(c, 'session_required')
  const parsed = copyArgs.safeParse(await c.req.json().catch(() => null))
  if (!parsed.success) return refuseWith(c, 'invalid_request')
  const { threadId } = parsed.data
  const { userId } = viewer
  // A repeated request succeeds even if the link was revoked meanwhile.
  if (!(await isCopied(c.env, userId, threadId))) {
    const retryS = await retryAfterS(c)
    if (retryS !== null) {
      c.header('retry-after', String(retryS))
      return refuseWith(c, 'rate_limited')
    }
    const shared = await sharedBy(c)
    if (!shared) return refuseWith(c, 'not_found')
    const plan = await planOfViewer(c, viewer, Date.now())
    const refused = await pacedCopy(c, userId, threadId, () => copyShare(c.env, shared, { userId, plan }, threadId, Date.now()))
    if (refused !== null) return refuseWith(c, refused)
    await notify(c.env, [userId])
  }
  return c.json({ threadId } satisfies ShareCopyBody, 201)
}

/** Chosen: far above the time of a copy. */
const copyLeaseMs = 30_000
/** Chosen: a copy that waits for another one of its user, and its pause. */
const waitMs = 500
const maxWaits = 12

/** One copy of a user at a time. The lease outlasts the copy by the pause. */
async function pacedCopy(
  { env }: AppContext,
  userId: string,
  threadId: string,
  copy: () => Promise<RefusalCode | null>,
): Promise<RefusalCode | null> {
  for (let waits = 0; waits < maxWaits; waits++) {
    const begunMs = Date.now()
    const lease = await takeLease(directoryDb(env), `copy:${userId}`, begunMs, copyLeaseMs)
    try {
      // Another request may have made this copy meanwhile.
      if (waits > 0 && (await isCopied(env, userId, threadId))) return null
      if (lease) return await copy()
    } finally {
      const endedMs = Date.now()
      if (lease) await extendLease(directoryDb(env), lease, endedMs + pauseMsAfter(endedMs - begunMs, 'shared'))
    }
    await scheduler.wait(waitMs)
  }
  return 'rate_limited'
}

/** Counted per network, because each request reads every content database. */
function retryAfterS(c: AppContext): Promise<number | null> {
  const { environment, redis } = c.var.settings
  return sharesRetryAfterS(environment, createCounter(c.env, redis, Date.now), networksOf(c.req.raw.headers))
}

async function sharedBy(c: AppContext): Promise<SharedThread | null> {
  const id = shareIdSchema.safeParse(c.req.param('id'))
  return id.success ? readShare(c.env, id.data, Date.now()) : null
}
