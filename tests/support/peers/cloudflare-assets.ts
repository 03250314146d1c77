/**
 * Static files of a Worker: a session returns which ones are new, buckets upload them with the session's token, and the last response
 * contains the completion token.
 */
import { z } from 'zod'
import { type Account, type Answer, type AssetSession, jsonOf, newId, type PeerCall, Refusal } from './cloudflare-account.ts'

const hash = z.string().regex(/^[0-9a-f]{32}$/)
const manifested = z.strictObject({
  manifest: z.record(
    z.string().startsWith('/'),
    z.strictObject({
      hash,
      size: z
        .number()
        .int()
        .nonnegative()
        .max(25 * 1024 * 1024),
    }),
  ),
})
/** Small enough that more than one bucket is needed. */
const filesPerBucket = 50

export function openAssetSession(account: Account, call: PeerCall): Answer {
  const { manifest } = jsonOf(call, manifested)
  const session: AssetSession = { manifest: new Map(Object.entries(manifest)), config: {} }
  const id = newId()
  account.sessions.set(id, session)
  const wanted = [...new Set([...session.manifest.values()].map((entry) => entry.hash))].filter((one) => !account.files.has(one))
  const buckets = Array.from({ length: Math.ceil(wanted.length / filesPerBucket) }, (_, index) =>
    wanted.slice(index * filesPerBucket, (index + 1) * filesPerBucket),
  )
  return { result: { jwt: jwtOf({ session: id, complete: wanted.length === 0 }), buckets } }
}

export async function receiveAssets(account: Account, call: PeerCall, apiToken: string): Promise<Answer> {
  const bearer = call.authorization?.replace(/^Bearer /, '') ?? ''
  if (bearer === apiToken) throw new Refusal(401, 10000, 'Authentication error: files are brought with the token of their session')
  const { session: id } = claimsOf(bearer)
  const session = account.sessions.get(id)
  if (!session) throw new Refusal(401, 10000, 'Authentication error')
  if (call.query.get('base64') !== 'true') throw new Refusal(400, 10021, 'files are expected in base64')
  const form = await new Response(new Uint8Array(call.body), { headers: { 'content-type': call.contentType } }).formData()
  for (const [name, value] of form) {
    const entry = [...session.manifest.values()].find((candidate) => candidate.hash === name)
    if (!entry || typeof value === 'string') throw new Refusal(400, 10021, `nobody asked for ${name}`)
    const bytes = Buffer.from(await value.text(), 'base64')
    if (bytes.length !== entry.size) throw new Refusal(400, 10021, `${name} has ${bytes.length} bytes instead of ${entry.size}`)
    account.files.set(name, bytes)
  }
  const isWhole = [...session.manifest.values()].every((entry) => account.files.has(entry.hash))
  return isWhole ? { status: 201, result: { jwt: jwtOf({ session: id, complete: true }) } } : { status: 202, result: {} }
}

/** Validates the completion token of a Worker upload. */
export function completedSession(account: Account, jwt: string): AssetSession {
  const { session: id, complete } = claimsOf(jwt)
  const session = account.sessions.get(id)
  if (!session || !complete) throw new Refusal(400, 10021, 'the files of this upload are not complete')
  return session
}

type Claims = { readonly session: string; readonly complete: boolean }
const claims = z.object({ session: z.string(), complete: z.boolean() })
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const jwtOf = (value: Claims) =>
  `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ ...value, exp: Math.floor(Date.now() / 1000) + 3600 })}.${part({})}`

function claimsOf(jwt: string): Claims {
  try {
    return claims.parse(JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8')))
  } catch {
    throw new Refusal(401, 10000, 'Authentication error')
  }
}
