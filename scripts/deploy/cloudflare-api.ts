// Cloudflare's API v4 for `npm run deploy`. Wrangler uploads the Worker; this module finds and creates resources, because API responses
// have error codes where wrangler's commands print text. A request is also faster than a process. Every call is idempotent: resources are
// found by name, and failed requests are retried.
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

export type Call<Result> = {
  readonly method?: 'GET' | 'POST'
  /** Path below the account. */
  readonly path: string
  readonly body?: unknown
  readonly result: z.ZodType<Result>
  /** Completes the sentence "Cloudflare would not …". */
  readonly doing: string
  /** Permission of the token, as named in the dashboard. */
  readonly permission: string
}

export type Cloudflare = {
  readonly accountId: string
  call<Result>(call: Call<Result>): Promise<Result>
  /** `path` without page parameters. Also reads lists that are not paged. */
  list<Row>(call: Omit<Call<Row>, 'method' | 'body'>): Promise<Row[]>
}

export class CloudflareError extends Error {
  override readonly name = 'CloudflareError'
  readonly status: number
  readonly codes: readonly number[]

  constructor(message: string, status: number, codes: readonly number[]) {
    super(message)
    this.status = status
    this.codes = codes
  }
}

export const hasCode = (error: unknown, ...codes: readonly number[]): boolean =>
  error instanceof CloudflareError && error.codes.some((code) => codes.includes(code))

const envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).default([]),
  result: z.unknown(),
  result_info: z.object({ total_count: z.number().optional() }).nullish(),
})
type Envelope = z.infer<typeof envelope>

export type Access = {
  /** Empty until the account is known. Then only the list of accounts can be requested. */
  readonly accountId: string
  readonly token: string
  readonly baseUrl: string
  readonly wait?: (ms: number) => Promise<unknown>
}

const attempts = 4
const longestWaitMs = 60_000
/** Platform limit: the smallest page limit of all lists. */
const rowsPerPage = 50
const answerWithinMs = 120_000

export function cloudflareApi({ accountId, token, baseUrl, wait = sleep }: Access): Cloudflare {
  const root = `${baseUrl}/accounts${accountId && `/${accountId}`}`

  async function ask(call: Call<unknown>, attempt = 1): Promise<Envelope> {
    const { response, reason } = await send(call)
    const isPassing = response === null || response.status === 429 || response.status >= 500
    if (isPassing && attempt < attempts) {
      const seconds = Number(response?.headers.get('retry-after') ?? 0)
      await wait(Math.min(longestWaitMs, Math.max(seconds * 1000, 250 * 2 ** attempt)))
      return ask(call, attempt + 1)
    }
    if (response === null) throw new CloudflareError(`Cloudflare could not be reached to ${call.doing} (${reason})`, 0, [])
    const answer = envelope.safeParse(await response.json().catch(() => null)).data
    if (answer?.success && response.ok) return answer
    const codes = answer?.errors.map(({ code }) => code) ?? []
    throw new CloudflareError(sentenceFor(call, response.status, answer), response.status, codes)
  }

  async function send({ method = 'GET', path, body }: Call<unknown>) {
    const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    const init = {
      method,
      headers,
      signal: AbortSignal.timeout(answerWithinMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    try {
      return { response: await fetch(`${root}${path}`, init), reason: null }
    } catch (error) {
      return { response: null, reason: reasonOf(error) }
    }
  }

  return {
    accountId,
    call: async (call) => parse(call, (await ask(call)).result),
    list: async ({ path, result, ...rest }) => {
      const rows: z.infer<typeof result>[] = []
      for (let page = 1; ; page++) {
        const call = { ...rest, result: z.array(result), path: `${path}?page=${page}&per_page=${rowsPerPage}` }
        const answer = await ask(call)
        const more = parse(call, answer.result)
        rows.push(...more)
        const total = answer.result_info?.total_count
        if (more.length === 0 || (total === undefined ? more.length < rowsPerPage : rows.length >= total)) return rows
      }
    },
  }
}

function parse<Result>({ result, doing }: Call<Result>, value: unknown): Result {
  const parsed = result.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Error(`Cloudflare answered in a form that this version does not know when asked to ${doing}: ${z.prettifyError(parsed.error)}`)
}

function sentenceFor({ doing, permission }: Call<unknown>, status: number, answer: Envelope | undefined): string {
  const said = answer?.errors.map(({ code, message }) => `${message} [${code}]`).join('; ') || `status ${status}`
  if (status === 401 || status === 403 || isAboutToken(answer))
    return `Cloudflare would not ${doing}: ${said}. The API token has to be valid, for this account, and allowed to "${permission}"`
  if (status === 429) return `Cloudflare asks for fewer requests: ${said}. Wait five minutes and run it again`
  if (status >= 500) return `Cloudflare would not ${doing} (${said}). Run it again in a while`
  return `Cloudflare would not ${doing}: ${said}`
}

/** Error codes of invalid tokens and missing permissions, which not always have status 401 or 403. */
const aboutToken = [1000, 6003, 9106, 9109, 10000, 10001]
const isAboutToken = (answer: Envelope | undefined) => answer?.errors.some(({ code }) => aboutToken.includes(code)) ?? false

/** Undici reports "fetch failed" and has the reason only in `cause`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || error.message : error.message
}
