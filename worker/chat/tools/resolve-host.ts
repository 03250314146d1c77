/**
 * The addresses behind a name, asked over HTTPS because a Worker has no resolver of its own. The connection that follows asks again, and a
 * name may have changed its answer in between. What catches that stands below: Cloudflare's network has no private addresses to offer, and
 * `npm start` gives pages a network of their own that connects to public addresses alone (scripts/lib/public-network.ts). Under
 * `npm run dev` nothing does.
 */
import { z } from 'zod'
import { boundedJson } from '../../lib/bounded-body.ts'

export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

/** Ours: a DNS message is of 64 KB at most, and twice that as JSON. */
const maxAnswerBytes = 128 * 1024

const resolverUrl = 'https://cloudflare-dns.com/dns-query'
/** DNS record types A and AAAA. */
const addressTypes = { A: 1, AAAA: 28 } as const

/** DNS response codes (RFC 1035): there is an answer, be it an empty one; there is no such name. All others say that nobody knows. */
const known = { noError: 0, noSuchName: 3 } as const

const answerSchema = z.object({ Status: z.number(), Answer: z.array(z.object({ type: z.number(), data: z.string() })).optional() })

export const resolverBy =
  (fetchAnswer: typeof fetch): ResolveHost =>
  async (hostname, signal) => {
    const addresses: string[] = []
    // One after the other: a read has one place among the turn's connections.
    for (const [name, type] of Object.entries(addressTypes)) {
      const response = await fetchAnswer(`${resolverUrl}?name=${encodeURIComponent(hostname)}&type=${name}`, {
        headers: { accept: 'application/dns-json' },
        redirect: 'manual',
        signal,
      })
      if (!response.ok) {
        // An answer that nobody reads would keep its connection beyond its place.
        await response.body?.cancel()
        throw new Error(`the resolver answered ${response.status}`)
      }
      const { Status, Answer = [] } = answerSchema.parse(await boundedJson(response, maxAnswerBytes))
      if (Status === known.noSuchName) return []
      if (Status !== known.noError) throw new Error(`the name could not be looked up (${Status})`)
      addresses.push(...Answer.filter((record) => record.type === type).map(({ data }) => data))
    }
    return addresses
  }
