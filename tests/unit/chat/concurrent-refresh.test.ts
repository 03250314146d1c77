// Refreshes of the catalogue by several requests of one isolate. In a Worker, a request must not await I/O of another request.
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { refreshCatalogue } from '../../../worker/chat/catalog/refresh-catalogue.ts'
import { createNodeD1 } from '../../support/node-d1.ts'
import { answeringServer } from '../../support/peers/answering-server.ts'
import { none } from '../../support/peers/provider-connections.ts'

const server = answeringServer()
const nowMs = 1_000_000
const everyMs = 5_000
const connected = () => ({ ...none, compatible: { url: server.url, apiKey: null }, foundAccess: 'public' as const })
const sendModels = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[{"id":"a","object":"model"}]}')

test('a second request does not wait for the refresh of the first, which returns the users of both', async () => {
  const env = { DB: createNodeD1() }
  const settings = connected()
  const list = new Promise<ServerResponse>((resolve) => {
    server.answer = resolve
  })
  const first = refreshCatalogue(env, settings, nowMs, { everyMs, userIds: ['ada'] })
  const held = await list
  const second = await refreshCatalogue(env, settings, nowMs + 1, { everyMs, userIds: ['ben'] })
  expect(second).toEqual({ changes: 0, userIds: [] })
  sendModels(held)
  const { changes, userIds } = await first
  expect(changes).toBeGreaterThan(0)
  expect(userIds).toEqual(['ada', 'ben'])
})

test('refreshes again after the shortest time, also when the last refresh failed', async () => {
  const DB = createNodeD1()
  const settings = connected()
  server.answer = sendModels
  DB.onStatement = () => {
    throw new Error('D1_ERROR: no connection')
  }
  await expect(refreshCatalogue({ DB }, settings, nowMs, { everyMs })).rejects.toThrow()
  DB.onStatement = () => undefined
  expect((await refreshCatalogue({ DB }, settings, nowMs + 1, { everyMs })).changes).toBe(0)
  expect((await refreshCatalogue({ DB }, settings, nowMs + everyMs, { everyMs })).changes).toBeGreaterThan(0)
})
