/**
 * The addresses behind a name, asked over HTTPS because a Worker has no resolver of its own. The connection that follows asks again, so a
 * name that changes its answer in between is caught by the network below: Cloudflare's own has no private addresses to offer.
 */
import { z } from 'zod'
import { boundedJson } from '../../lib/bounded-body.ts'

export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

/** Ours: a DNS message is of 64 KB at most, and twice that as JSON. */
const maxAnswerBytes = 128 * 1024

const resolverUrl = 'https://cloudflare-dns.com/dns-query'
/** DNS record types A and AAAA. */
const addressTypes = { A: 1, AAAA: 28 } as const

const answerSchema = z.object({ Answer: z.array(z.object({ type: z.number(), data: z.string() })).optional() })

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
      const { Answer = [] } = answerSchema.parse(await boundedJson(response, maxAnswerBytes))
      addresses.push(...Answer.filter((record) => record.type === type).map(({ data }) => data))
    }
    return addresses
  }
