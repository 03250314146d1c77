/**
 * The token of the sync socket. better-auth's jwt plugin signs it (GET /api/auth/token); the Worker and the object verify it. Verification
 * needs no database once a key is cached. An unknown key id reads the keys again.
 */
import { errors, importJWK, jwtVerify } from 'jose'
import { readSigningKeys } from '../db/sessions.ts'
import type { DatabaseBindings } from '../db/shards.ts'

export const tokenIssuer = 'parley'
export const tokenAudience = 'parley-sync'

type VerifiedToken = { readonly userId: string; readonly sessionId: string; readonly expiresAtMs: number }
type RefusedToken = { readonly refused: 'missing' | 'malformed' | 'expired' | 'unknown_key' | 'invalid' }

type Key = Awaited<ReturnType<typeof importJWK>>

/** Public keys by key id. Key ids are random, so databases cannot be confused. */
const keyCache = new Map<string, Key>()
/**
 * Verified tokens: a verification costs as much CPU as a small request, and pages send the same token repeatedly. The claims of a token do
 * not change; only its expiry is checked each time.
 */
const tokenCache = new Map<string, VerifiedToken>()
const maxCachedTokens = 1000

/** Limits database reads caused by invalid key ids. */
const keyReads = { sinceMs: 0, count: 0 }
const keyReadWindowMs = 10_000
const maxKeyReadsPerWindow = 20

export async function verifySyncToken(
  env: DatabaseBindings,
  token: string | null | undefined,
  nowMs: number = Date.now(),
): Promise<VerifiedToken | RefusedToken> {
  if (!token) return { refused: 'missing' }
  const cached = tokenCache.get(token)
  if (cached) return cached.expiresAtMs > nowMs ? cached : { refused: 'expired' }
  try {
    const { payload } = await jwtVerify(token, async ({ kid }) => keyFor(env, kid, nowMs), {
      algorithms: ['EdDSA'],
      issuer: tokenIssuer,
      audience: tokenAudience,
      currentDate: new Date(nowMs),
      requiredClaims: ['sub', 'sid', 'exp'],
    })
    const { sub, sid, exp } = payload
    if (!isName(sub) || !isName(sid) || typeof exp !== 'number') return { refused: 'invalid' }
    const verified = { userId: sub, sessionId: sid, expiresAtMs: exp * 1000 }
    if (tokenCache.size >= maxCachedTokens) tokenCache.clear()
    tokenCache.set(token, verified)
    return verified
  } catch (error) {
    return { refused: reasonOf(error) }
  }
}

const isName = (claim: unknown): claim is string => typeof claim === 'string' && claim !== ''

class UnknownKeyError extends Error {
  override name = 'UnknownKeyError'
}

async function keyFor(env: DatabaseBindings, kid: string | undefined, nowMs: number): Promise<Key> {
  if (kid === undefined) throw new UnknownKeyError('the token names no key')
  const cached = keyCache.get(kid)
  if (cached) return cached
  if (mayReadKeys(nowMs)) {
    for (const { kid: id, alg, publicKeyJson } of await readSigningKeys(env)) {
      if (!keyCache.has(id)) keyCache.set(id, await importJWK(JSON.parse(publicKeyJson), alg ?? 'EdDSA'))
    }
  }
  const found = keyCache.get(kid)
  if (!found) throw new UnknownKeyError('this deployment did not make the key')
  return found
}

function mayReadKeys(nowMs: number): boolean {
  if (nowMs - keyReads.sinceMs >= keyReadWindowMs || nowMs < keyReads.sinceMs) Object.assign(keyReads, { sinceMs: nowMs, count: 0 })
  keyReads.count += 1
  return keyReads.count <= maxKeyReadsPerWindow
}

/** A database error does not make the token invalid: it is rethrown, and the client retries. */
function reasonOf(error: unknown): RefusedToken['refused'] {
  if (error instanceof UnknownKeyError) return 'unknown_key'
  if (error instanceof errors.JWTExpired) return 'expired'
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return 'malformed'
  if (error instanceof errors.JOSEError) return 'invalid'
  throw error
}
