/**
 * /api/auth/*: better-auth. After a call that may have written what browsers see (a name, a membership), whoever it concerned is told;
 * the directory's feed knows who that is. A new guest has no browser that listens yet, so signing in as one tells nobody.
 */
import { authFor } from '../auth/session.ts'
import { directoryWatermark, usersAffectedSince } from '../db/affected.ts'
import type { Env } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { notify } from '../sync/notify.ts'
import { type AppContext, refuseWith } from './http.ts'

export async function handleAuth(c: AppContext): Promise<Response> {
  const auth = await authFor(c.env, c.var.settings, c.req.url)
  if (!mayChangeRows(c.req.method, c.req.path)) return saidInWords(c, await auth.handler(c.req.raw))
  const watermark = await directoryWatermark(c.env)
  const response = await auth.handler(c.req.raw)
  c.executionCtx.waitUntil(tellConcerned(c.env, watermark))
  return saidInWords(c, response)
}

/** A surprise inside better-auth is an empty 500; whoever reads it is owed a sentence. */
const saidInWords = (c: AppContext, response: Response): Response =>
  response.status >= 500 && response.body === null ? refuseWith(c, 'internal') : response

const silentPosts = new Set([
  '/api/auth/sign-in/anonymous',
  '/api/auth/sign-out',
  '/api/auth/email-otp/send-verification-otp',
  '/api/auth/sign-in/magic-link',
])
const writingGets = /^\/api\/auth\/(magic-link\/verify|callback\/|verify-email|delete-user\/callback)/

function mayChangeRows(method: string, path: string): boolean {
  return method === 'GET' ? writingGets.test(path) : !silentPosts.has(path)
}

async function tellConcerned(env: Env, watermark: number): Promise<void> {
  try {
    const userIds = await usersAffectedSince(env, watermark)
    if (userIds.length > 0) await notify(env, userIds)
  } catch (error) {
    // Only a hint is lost; the next pull of every object finds the change.
    logger.error('notify_failed', error)
  }
}
