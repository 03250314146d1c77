/**
 * A loopback server that speaks Upstash's HTTP protocol in front of a real redis-server, where the machine has one, and otherwise in front
 * of the few commands that the product uses, kept here. The clock of either can be moved on.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { memoryRedis } from './memory-redis.ts'
import { type Reply, type RunCommand, startRedis } from './redis-server.ts'

export type RedisOutage = 'hang-up' | 'mute' | 'broken'

export type UpstashPeer = {
  readonly url: string
  readonly token: string
  /** Whether a real redis-server answers. */
  readonly isReal: boolean
  /** What is stored, without what has expired. */
  keys(): Promise<string[]>
  /** Moves everything that expires nearer to its end. */
  pass(seconds: number): Promise<void>
  /** From now on, until told `null`: tears every connection, takes the question and says nothing, or answers with a 500 that is no JSON. */
  misbehave(how: RedisOutage | null): void
  stop(): Promise<void>
}

/** The body of an answer to the body of a request. */
export async function answerCommand(run: RunCommand, command: string, isEncoded: boolean): Promise<{ readonly result: unknown }> {
  const encode = (value: Reply): unknown => {
    if (Array.isArray(value)) return value.map(encode)
    return typeof value === 'string' && isEncoded ? Buffer.from(value).toString('base64') : value
  }
  return { result: encode(await run((JSON.parse(command) as unknown[]).map(String))) }
}

export async function startUpstash(): Promise<UpstashPeer> {
  const token = 'token-of-the-peer'
  const redis = await startRedis()
  const run: RunCommand = redis?.run ?? memoryRedis()
  let outage: RedisOutage | null = null
  const server = createServer((request, response) => {
    if (outage === 'hang-up') return void request.destroy()
    if (outage === 'mute') return void request.resume()
    if (outage === 'broken') return void response.writeHead(500).end('<html>')
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      void (async () => {
        const isAllowed = request.headers.authorization === `Bearer ${token}`
        const isEncoded = request.headers['upstash-encoding'] === 'base64'
        const body = isAllowed ? await answerCommand(run, Buffer.concat(chunks).toString('utf8'), isEncoded) : { error: 'Unauthorized' }
        response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })().catch((error: unknown) => response.writeHead(400).end(JSON.stringify({ error: String(error) })))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const keys = async () => ((await run(['keys', '*'])) as string[]).sort()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    isReal: redis !== null,
    keys,
    pass: async (seconds) => {
      for (const key of await keys()) {
        const leftMs = Number(await run(['pttl', key]))
        if (leftMs >= 0) await run(['pexpire', key, String(leftMs - seconds * 1000)])
      }
    },
    misbehave: (how) => {
      outage = how
    },
    stop: async () => {
      await new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
      await redis?.stop()
    },
  }
}
