/** A loopback server that speaks Upstash's HTTP protocol for the few commands that the product uses, with expiry by a clock of the test's. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type UpstashPeer = {
  readonly url: string
  readonly token: string
  /** What is stored, without what has expired. */
  keys(): string[]
  /** Moves the peer's clock. */
  pass(seconds: number): void
  stop(): Promise<void>
}

type Entry = { value: string; expiresAtS: number }

export async function startUpstash(): Promise<UpstashPeer> {
  const token = 'token-of-the-peer'
  const entries = new Map<string, Entry>()
  let nowS = 0
  const alive = (key: string) => {
    const entry = entries.get(key)
    if (entry && entry.expiresAtS <= nowS) entries.delete(key)
    return entries.get(key)
  }

  function run([name = '', ...args]: string[]): string | number | null {
    const [key = '', value = ''] = args
    switch (name.toLowerCase()) {
      case 'get':
        return alive(key)?.value ?? null
      case 'getdel': {
        const found = alive(key)?.value ?? null
        entries.delete(key)
        return found
      }
      case 'set': {
        const ex = args.findIndex((arg) => arg.toLowerCase() === 'ex')
        entries.set(key, { value, expiresAtS: ex === -1 ? Number.POSITIVE_INFINITY : nowS + Number(args[ex + 1]) })
        return 'OK'
      }
      case 'del':
        return Number(entries.delete(key))
      case 'eval': {
        // The product has one script: count, and start the clock with the first.
        const [, , counter = '', ttlS = '0'] = args
        const known = alive(counter)
        const next = { value: String(Number(known?.value ?? 0) + 1), expiresAtS: known?.expiresAtS ?? nowS + Number(ttlS) }
        entries.set(counter, next)
        return Number(next.value)
      }
      default:
        throw new Error(`ERR unknown command ${name}`)
    }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const isAllowed = request.headers.authorization === `Bearer ${token}`
      const command = (JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown[]).map(String)
      const encode = (value: string | number | null) =>
        typeof value === 'string' && request.headers['upstash-encoding'] === 'base64' ? Buffer.from(value).toString('base64') : value
      response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isAllowed ? { result: encode(run(command)) } : { error: 'Unauthorized' }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    keys: () => [...entries.keys()].filter((key) => alive(key)),
    pass: (seconds) => {
      nowS += seconds
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
