// What a local run gives pages for a network, in workerd itself: it connects to nothing at home.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicNetwork } from '../../../scripts/lib/public-network.ts'

const script = `export default {
  async fetch(request, { PUBLIC_NETWORK }) {
    const url = await request.text()
    const by = (send) => send(url).then((response) => response.text(), () => 'no connection')
    return Response.json([await by(fetch), await by((input) => PUBLIC_NETWORK.fetch(input))])
  },
}`

let asked = 0
const home = createServer((_request, response) => {
  asked += 1
  response.end('the words of this machine')
})
let miniflare: Miniflare
beforeAll(async () => {
  await new Promise<void>((resolve) => home.listen(0, '127.0.0.1', resolve))
  const worker = {
    name: 'worker',
    compatibilityDate: '2026-07-01',
    modules: true,
    script,
    serviceBindings: { PUBLIC_NETWORK: publicNetwork },
  }
  const quiet = { cf: false, log: new Log(LogLevel.NONE), handleStructuredLogs: () => undefined } as const
  miniflare = new Miniflare(convertV4MiniflareOptions({ host: '127.0.0.1', port: 0, ...quiet, workers: [worker] }))
  await miniflare.ready
}, 60_000)
afterAll(async () => {
  await miniflare.dispose()
  home.closeAllConnections()
  home.close()
})

const ask = async (host: string): Promise<unknown> => {
  const body = `http://${host}:${(home.address() as AddressInfo).port}/`
  return (await miniflare.dispatchFetch('http://worker/', { method: 'POST', body })).json()
}

test('this machine is reached by what the deployment itself is told to use, and by no page', async () => {
  expect(await ask('127.0.0.1')).toEqual(['the words of this machine', 'no connection'])
  expect(asked).toBe(1)
})

test('neither is it by a name that leads there', async () => {
  expect(await ask('localhost')).toEqual([expect.any(String), 'no connection'])
})
