/** The server of the container (scripts/container.ts) on the built Worker of a deployment, without the layers of the image. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { rootDir } from '../../scripts/lib/paths.ts'
import { productWorker } from '../../scripts/lib/serve.ts'
import type { HealthBody } from '../../worker/contract/http.ts'
import { newGuest } from '../support/guest.ts'
import { startToolServer } from '../support/peers/tool-server.ts'
import { freePort } from '../support/ports.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { expectKept, readAnswer, startHeldModel } from './kept-thread.ts'

type Env = Readonly<Record<string, string>>

/** Without PUBLIC_URL if it is empty. */
async function startContainer(env: Env = {}): Promise<{ readonly url: string; readonly env: Env; readonly server: ServerProcess }> {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const full = { PUBLIC_URL: url, PORT: `${port}`, STATE_DIR: newFolder(), ...env }
  const server = await launch(full)
  onTestFinished(() => server.stop())
  return { url, env: full, server }
}

const launch = (env: Env) =>
  startServerProcess(['scripts/container.ts'], { cwd: rootDir, env: { TMPDIR: tmpdir(), ...env }, ready: 'container.ready' })

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-container-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

let model: Awaited<ReturnType<typeof startHeldModel>>
beforeAll(async () => {
  model = await startHeldModel()
})
afterAll(() => model.peer.stop())

test('needs only PUBLIC_URL: the Worker of a deployment, with secrets of its own and without the features that nothing sets up', async () => {
  const { url, env, server } = await startContainer()
  const health = (await (await fetch(`${url}/api/health`)).json()) as HealthBody
  expect(health).toMatchObject({ status: 'ok', environment: 'production' })
  const states = Object.fromEntries(Object.entries(health.parts).map(([part, { state }]) => [part, state]))
  expect(states).toMatchObject({
    database: 'real',
    files: 'real',
    models: 'off',
    search: 'off',
    payments: 'off',
    mail: 'off',
  })

  const cronSecret = readFileSync(join(env.STATE_DIR ?? '', 'cron-secret'), 'utf8')
  const ran = await fetch(`${url}/api/reset`, { headers: { authorization: `Bearer ${cronSecret}` } })
  expect([ran.status, await ran.text()]).toEqual([200, expect.not.stringContaining('failed')])
  await newGuest(url)
  for (const line of server.output) expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), event: expect.any(String) })
})

test('names a setting that is missing or invalid, and does not start with one of its own that is invalid', async () => {
  const { url } = await startContainer({ PUBLIC_URL: '', STRIPE_SECRET_KEY: 'sk_test_1' })
  const health = await fetch(`${url}/api/health`)
  expect([health.status, await health.text()]).toEqual([503, expect.stringMatching(/PUBLIC_URL.*STRIPE_WEBHOOK_SECRET/s)])
  const refused = (env: Env) => startContainer(env).then(() => 'started', String)
  expect(await refused({ CLIENT_ADDRESS_HEADER: 'two words' })).toContain('CLIENT_ADDRESS_HEADER is not the name of a header')
  expect(await refused({ ENVIRONMENT: 'development' })).toContain('ENVIRONMENT can only be production')
})

test('streams an answer, and keeps the session and the thread through SIGTERM and kill -9', async () => {
  const { url, env, server } = await startContainer({ OPENAI_COMPATIBLE_URL: model.peer.url })
  const kept = await readAnswer(url, model.release)
  const busy = await launch({ ...env, PORT: `${await freePort()}` }).then(() => 'started', String)
  expect(busy).toContain('is in use by another container')

  expect(await server.terminate()).toBe(0)
  expect(server.output.at(-1)).toContain('container.stopped')
  const second = await launch(env)
  await expectKept(kept)
  await second.kill9()
  const third = await launch(env)
  onTestFinished(() => third.stop())
  await expectKept(kept)
})

/** More than ten wrong secrets of one network are refused with 429, so the status shows whether requests count as one network. */
async function wrongSecrets(url: string, headersOf: (attempt: number) => Env): Promise<number[]> {
  const statuses: number[] = []
  for (let attempt = 1; attempt <= 11; attempt++) {
    const response = await fetch(`${url}/api/reset`, { headers: { authorization: 'Bearer wrong', ...headersOf(attempt) } })
    statuses.push(response.status)
  }
  return statuses
}

const refusedAtLast = [...Array.from({ length: 10 }, () => 403), 429]
const neverRefused = Array.from({ length: 11 }, () => 403)

test('the client address is the last one of CLIENT_ADDRESS_HEADER, whatever the client sends in it or in other headers', async () => {
  const { url } = await startContainer({ CLIENT_ADDRESS_HEADER: 'X-Forwarded-For' })
  const spoofed = (attempt: number): Env => {
    const address = `198.51.${attempt}.1`
    return { 'cf-connecting-ip': address, 'x-real-ip': address, 'mf-cf-blob': JSON.stringify({ clientIp: `${address}:1` }) }
  }
  const through = (address: string) => (attempt: number) => ({ ...spoofed(attempt), 'x-forwarded-for': `198.51.${attempt}.1, ${address}` })
  expect(await wrongSecrets(url, through('203.0.113.7'))).toEqual(refusedAtLast)
  expect(await wrongSecrets(url, (attempt) => ({ 'x-forwarded-for': `203.0.${attempt}.7` }))).toEqual(neverRefused)
  expect(await wrongSecrets(url, spoofed)).toEqual(refusedAtLast)
})

test('without CLIENT_ADDRESS_HEADER, all clients count as one network', async () => {
  const { url, server } = await startContainer()
  expect(await wrongSecrets(url, (attempt) => ({ 'x-forwarded-for': `198.51.${attempt}.1` }))).toEqual(refusedAtLast)
  expect(server.output.join('\n')).toContain('CLIENT_ADDRESS_HEADER is not set')
})

test('nothing of Miniflare is reachable, and responses are those of the public address', async () => {
  const { url } = await startContainer({ PUBLIC_URL: 'https://chat.example.com' })
  for (const path of ['scheduled', 'explorer/api', 'platform-proxy', 'r2/s3'])
    expect((await fetch(`${url}/cdn-cgi/local/${path}`, { method: 'POST' })).status, path).toBe(404)
  const page = await fetch(url, { headers: { 'accept-encoding': 'br', 'mf-original-url': 'http://evil.example/' } })
  expect(page.headers.get('strict-transport-security')).toContain('max-age')
  expect(page.headers.get('content-security-policy')).toContain('wss://chat.example.com')
  expect([page.headers.get('content-encoding'), page.headers.get('vary')]).toEqual(['br', 'accept-encoding'])
  expect(await page.text()).toContain('<title>Parley</title>')
  const uncoded = await fetch(url, { headers: { 'accept-encoding': 'gzip;q=0, br;q=0' } })
  expect(uncoded.headers.get('content-encoding')).toBeNull()
})

/** Sends a request to the address in its query, by the connection for addresses of users or by the other one. */
const probe = `export default {
  async fetch(request, { PUBLIC_INTERNET }) {
    const { searchParams } = new URL(request.url)
    const send = searchParams.get('by') === 'PUBLIC_INTERNET' ? (to) => PUBLIC_INTERNET.fetch(to) : (to) => fetch(to)
    return send(searchParams.get('to')).then(({ status }) => new Response('status ' + status), (error) => new Response('failed ' + error.message))
  },
}`

test('a request to an address of a user reaches neither a private address nor a name that resolves to one', async () => {
  const peer = await startToolServer()
  onTestFinished(() => peer.stop())
  // The Worker with the bindings of the container, and other code: the product refuses these addresses before it sends a request.
  const { serviceBindings, compatibilityDate, compatibilityFlags } = productWorker({})
  const worker = { name: 'probe', modules: true, script: probe, serviceBindings, compatibilityDate, compatibilityFlags }
  const quiet = { log: new Log(LogLevel.NONE), handleStructuredLogs: () => undefined }
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({ host: '127.0.0.1', port: 0, cf: false, ...quiet, workers: [worker as never] }),
  )
  onTestFinished(() => miniflare.dispose())
  const outcome = async (by: string, to: string) => (await fetch(`${await miniflare.ready}?${new URLSearchParams({ by, to })}`)).text()
  for (const host of ['127.0.0.1', 'localhost']) {
    const to = peer.url.replace('127.0.0.1', host)
    expect(await outcome('fetch', to), host).toBe('status 405')
    expect(await outcome('PUBLIC_INTERNET', to), host).toMatch(/^failed internal error/)
  }
  expect(peer.hits).toHaveLength(2)
})
