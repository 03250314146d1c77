// The check after a deployment: the settings, one page, and one connection to the sync service.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { deploymentProblems } from '../../../scripts/deploy/check-deployment.ts'
import { close, listen } from '../../support/peers/peer-server.ts'

type Answer = { readonly status: number; readonly body: string }
const healthy: Answer = { status: 200, body: JSON.stringify({ status: 'ok', parts: {} }) }
const broken: Answer = { status: 503, body: JSON.stringify({ status: 'misconfigured', parts: { PUBLIC_URL: { detail: 'is not set' } } }) }
const page: Answer = { status: 200, body: '<script id="page-settings"></script>' }
const unauthorized = JSON.stringify(['error', { kind: 'Unauthorized', message: 'the token is missing' }])

type Scene = { readonly health?: Answer; readonly page?: Answer; readonly sync?: string | null }

/** `sync`: the message of an accepted socket. Null refuses it. Each request takes the next scene; the last one stays. */
async function problemsOf(...scenes: readonly Scene[]) {
  let round = 0
  const scene = () => scenes[Math.min(round, scenes.length - 1)] ?? {}
  const server = createServer((request, response) => {
    const { status, body } = request.url === '/api/health' ? (scene().health ?? healthy) : (scene().page ?? page)
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  const sockets: Duplex[] = []
  server.on('upgrade', (request, socket) => {
    sockets.push(socket)
    const { sync = unauthorized } = scene()
    expect(request.url).toMatch(/^\/sync\/v\d+\/connect\?clientID=/)
    if (sync === null) return void socket.end('HTTP/1.1 404 Not Found\r\n\r\n')
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`)
    socket.write(Buffer.concat([Buffer.from([0x81, sync.length]), Buffer.from(sync)]))
  })
  const address = `http://127.0.0.1:${await listen(server)}`
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    return close(server)
  })
  return deploymentProblems(address, async () => void round++)
}

test('a deployment works if all three answer', async () => {
  expect(await problemsOf({})).toEqual([])
})

test('a new version may take a while to answer', async () => {
  expect(await problemsOf({ health: broken, page: { status: 500, body: '' }, sync: null }, {})).toEqual([])
})

test.each<[string, Scene, string]>([
  ['a missing setting', { health: broken }, '/api/health answers 503: PUBLIC_URL is not set.'],
  ['another application', { health: page }, '/api/health answers 200.'],
  ['a page that fails', { page: { status: 500, body: '' } }, '/ answers 500.'],
  ['a page of something else', { page: healthy }, '/ answers 200 without the page.'],
  ['a socket that is refused', { sync: null }, '/sync/v51/connect does not accept a WebSocket: no answer.'],
  [
    'another version of the protocol',
    { sync: '["error",{"kind":"VersionNotSupported"}]' },
    '/sync/v51/connect refuses connections: VersionNotSupported.',
  ],
])('%s is reported', async (_name, scene, problem) => {
  expect(await problemsOf(scene)).toEqual([problem])
})

test('an address that cannot be reached is reported', async () => {
  const problems = await deploymentProblems('http://127.0.0.1:1', async () => undefined)
  expect(problems).toEqual([
    expect.stringMatching(/^\/api\/health cannot be reached: /),
    expect.stringMatching(/^\/ cannot be reached: /),
    expect.stringMatching(/does not accept a WebSocket/),
  ])
})
