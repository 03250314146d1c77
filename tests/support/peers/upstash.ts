/**
 * A loopback server with Upstash's HTTP protocol in front of a real redis-server if the machine has one, otherwise in front of an
 * implementation of the used commands. Its clock can be advanced.
 */
import { createServer } from 'node:http'
import { memoryRedis } from './memory-redis.ts'
import { close, listen } from './peer-server.ts'
import { type Reply, type RunCommand, startRedis } from './redis-server.ts'

export type RedisOutage = 'hang-up' | 'mute' | 'broken'

export type UpstashPeer = {
  readonly url: string
  readonly token: string
  /** True with a real redis-server. */
  readonly isReal: boolean
  /** The stored keys that have not expired. */
  keys(): Promise<string[]>
  /** Advances the clock of all expirations. */
  pass(seconds: number): Promise<void>
  /** Until reset by `null`: breaks every connection, reads requests without responding, or responds with a 500 that is not JSON. */
  misbehave(how: RedisOutage | null): void
  stop(): Promise<void>
}

/** The response body for a request body. */
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
  const port = await listen(server)
  const keys = async () => ((await run(['keys', '*'])) as string[]).sort()
  return {
    url: `http://127.0.0.1:${port}`,
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
      await close(server)
      await redis?.stop()
    },
  }
}
