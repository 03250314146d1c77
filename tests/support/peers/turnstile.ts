/**
 * The part of Cloudflare Turnstile that the product uses: siteverify with its error codes, where a token is valid once, and a widget script
 * with `render`, `reset` and `remove` whose challenge is one press.
 */
import { createServer } from 'node:http'
import { close, listen } from './peer-server.ts'

export const turnstileKeys = { TURNSTILE_SITE_KEY: 'stand-in-site-key', TURNSTILE_SECRET_KEY: 'stand-in-secret-key' }

/** `silent`: no response. `malformed`: an HTML page instead of JSON. `down`: a 5xx. */
export type TurnstileTrouble = 'silent' | 'malformed' | 'down'

/** A token as the widget issues it, valid for one verification. */
export const solvedToken = (): string => `solved-${crypto.randomUUID()}`

function createSiteverify(): (body: unknown) => object {
  const used = new Set<string>()
  const fail = (code: string) => ({ success: false, 'error-codes': [code] })
  return (body) => {
    const { secret, response } = (typeof body === 'object' ? body : null) as { secret?: unknown; response?: unknown }
    if (secret !== turnstileKeys.TURNSTILE_SECRET_KEY) return fail('invalid-input-secret')
    if (typeof response !== 'string' || !response.startsWith('solved-')) return fail('invalid-input-response')
    if (used.has(response)) return fail('timeout-or-duplicate')
    used.add(response)
    return { success: true, 'error-codes': [], hostname: 'localhost', action: '', challenge_ts: new Date().toISOString() }
  }
}

/** As the real script: an object under one global name; the challenge is a frame of 300 x 65 px, here a button of that size. */
const widgetScript = `
window.turnstile = {
  render(parent, options) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'I am human (stand-in)'
    button.style.cssText = 'width:300px;height:65px;border:1px solid #8888;border-radius:4px'
    button.style.colorScheme = options.theme
    button.onclick = () => options.callback('solved-' + crypto.randomUUID())
    parent.append(button)
    return 'widget'
  },
  reset() {},
  remove() {},
}`

export type TurnstilePeer = {
  readonly url: string
  readonly requests: readonly string[]
  misbehave(trouble: TurnstileTrouble | null): void
  stop(): Promise<void>
}

export async function startTurnstile(): Promise<TurnstilePeer> {
  const verify = createSiteverify()
  const requests: string[] = []
  let trouble: TurnstileTrouble | null = null
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://peer')
    requests.push(pathname)
    if (pathname === '/turnstile/v0/api.js' && trouble === null)
      return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(widgetScript)
    if (trouble === 'silent') return void request.resume()
    if (trouble === 'malformed') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>')
    if (trouble === 'down' || pathname !== '/turnstile/v0/siteverify') return void response.writeHead(trouble ? 503 : 404).end()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}')
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(verify(body)))
    })
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    misbehave: (next) => {
      trouble = next
    },
    stop: () => close(server),
  }
}
