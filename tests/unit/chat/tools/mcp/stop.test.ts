// Stop ends the call of a server's tool.
import { afterEach, expect, test } from 'vitest'
import { runModel } from '../../../../../worker/chat/model/call.ts'
import { addServer } from '../../../../../worker/chat/tools/mcp/manage-servers.ts'
import { serverSources } from '../../../../../worker/chat/tools/mcp/server-source.ts'
import { toolRegistry } from '../../../../../worker/chat/tools/registry.ts'
import { ChunkWriter } from '../../../../../worker/chat/turn/chunk-writer.ts'
import { createNodeD1 } from '../../../../support/node-d1.ts'
import { startToolServer } from '../../../../support/peers/tool-server.ts'
import { finish, streamingModel } from '../../../../support/scripted-model.ts'

let stop: (() => Promise<void>) | null = null
afterEach(async () => stop?.())

test('Stop ends the call of a server, and the server sees it', async () => {
  const DB = createNodeD1()
  const egress = { send: fetch, isLocalAllowed: true }
  const server = await startToolServer({ fault: ({ rpc }) => rpc?.method === 'tools/call' })
  stop = server.stop
  const common = { env: { DB }, authSecret: 'a secret of the tests that is long enough', userId: 'ada', egress }
  await addServer({ ...common, owner: 'ada', nowMs: Date.now() }, { id: 'server-1', url: server.url, name: 'Sea', headers: {} })
  const sources = await serverSources({ ...common, nowMs: Date.now, hasImages: false, onChange: async () => undefined }, ['server-1'])
  const { tools } = toolRegistry(sources, { mark: 'data-mark', origins: [], grants: [] })
  const stopped = new AbortController()
  const model = streamingModel(() => [
    { type: 'tool-call', toolCallId: 'call-1', toolName: 'sea_echo', input: '{"text":"x"}' },
    finish('tool-calls'),
  ])
  const run = runModel(
    { model, instructions: 'Be brief.', messages: [{ role: 'user', content: 'Go' }], tools },
    { writer: new ChunkWriter(() => undefined, Date.now), signal: stopped.signal, nowMs: Date.now, maxRetries: 0 },
  ).catch((error: unknown) => error)
  await expect.poll(() => server.hits.filter(({ rpc }) => rpc?.method === 'tools/call').length, { timeout: 5000 }).toBe(1)
  stopped.abort()
  await expect.poll(() => server.abandoned(), { timeout: 5000 }).toBe(1)
  await run
})
