// The credentials of tool servers, used by a turn, renewed, refused, and quoted by the servers: none is in the export of the account, in the sync
// stream, or in the log. The export has the servers and the approvals of their calls.
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ToolServerBody } from '../../worker/contract/http.ts'
import type { AnswerMessage } from '../../worker/contract/threads/messages.ts'
import { newAccount } from '../support/account.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import { type OAuthPeer, startOAuthServer } from '../support/peers/oauth-server.ts'
import type { Peer } from '../support/peers/peer-server.ts'
import { type Fault, startToolServer, type ToolServerPeer } from '../support/peers/tool-server.ts'
import { type Product, startProduct } from '../support/product.ts'
import { openRecord } from '../support/record-file.ts'
import { connectRaw, freshId, queries, sendArgs } from './attack-wire.ts'

const key = 'key-of-the-harbour-5f2c'
const mailTool = { name: 'send-mail', description: 'Sends a mail.', inputSchema: { type: 'object' } }

/** The servers fail, and quote what they received. */
let areBroken = false
const quote = (response: ServerResponse, status: number, quoted: string) =>
  !!response
    .writeHead(status, { 'content-type': 'application/json', 'www-authenticate': `Bearer error_description="${quoted}"` })
    .end(JSON.stringify({ error: 'invalid_grant', error_description: quoted, jsonrpc: '2.0', message: quoted }))

const withKey: Fault = ({ headers }, response) => {
  const given = String(headers['x-api-key'])
  return given === key && !areBroken ? false : quote(response, given === key ? 500 : 401, given)
}

/** All tokens that were issued, and codes of logins. */
const issued: string[] = []
let model: Peer
let oauth: OAuthPeer
let sea: ToolServerPeer
let pier: ToolServerPeer
let product: Product
beforeAll(async () => {
  oauth = await startOAuthServer({
    fault: (_, response) => areBroken && quote(response, 400, issued.join(' ')),
    tokens: (tokens) => {
      issued.push(String(tokens.access_token), String(tokens.refresh_token))
      return tokens
    },
  })
  sea = await startToolServer({ tools: () => [mailTool], fault: withKey })
  pier = await startToolServer({ tools: () => [mailTool], fault: oauth.guard(() => pier.url) })
  model = await startGatewayPeer(({ body, streaming }) => {
    if (!streaming) return { kind: 'answer', words: ['Title'] }
    if (JSON.stringify(body).includes('allowed a call')) return { kind: 'answer', words: ['Done.'] }
    return { kind: 'tools', calls: ['sea', 'pier'].map((server) => ({ name: `${server}_send-mail`, input: '{"to": "ben"}' })) }
  })
  product = await startProduct({ env: { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: model.url } })
})
afterAll(() => Promise.all([model?.stop(), oauth?.stop(), sea?.stop(), pier?.stop(), product?.stop()]))

test('no credential of a tool server is in the export, in the sync stream or in the log', async () => {
  const account = await newAccount(product.url, 'ada-exports@example.test')
  const add = (id: string, name: string, url: string, headers = {}) => account.post('/api/tool-servers', { id, name, url, headers })
  const wire = await connectRaw(account, { queries: [...queries, { hash: 'servers', name: 'toolServers.mine', args: [] }] })
  await add('server-sea', 'Sea', sea.url, { 'x-api-key': key })
  await add('server-pier', 'Pier', pier.url)
  const { address = '' } = await account.post<ToolServerBody>('/api/tool-servers/server-pier/login', {})
  const callback = (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? ''
  issued.push(new URL(callback).searchParams.get('code') ?? '')
  expect((await account.fetch(callback)).headers.get('location')).toContain('login=done')

  const continuedId = freshId('answer')
  // Both calls wait, and are made with the credentials.
  const args = sendArgs({ modelId: 'gpt-4o-mini', text: 'Mail' })
  expect(await wire.mutate('threads.send', args)).toBeNull()
  const { threadId, answerId } = args
  await wire.until(() => wire.rows.has(`message ${answerId}`), 'an answer')
  wire.send(['changeDesiredQueries', { desiredQueriesPatch: [approvalsOf(threadId)] }])
  const pending = () => [...wire.rows.values()].filter(({ state }) => state === 'pending')
  await wire.until(() => pending().length === 2, 'two approvals')
  oauth.expireTokens()
  for (const { id } of pending()) expect(await wire.mutate('approvals.decide', { id, answerId: continuedId, decision: 'once' })).toBeNull()
  await wire.until(() => wire.rows.has(`message ${continuedId}`), 'the continued answer')
  const continued = wire.rows.get(`message ${continuedId}`)?.message as AnswerMessage
  expect(continued.parts.flatMap((part) => ('toolCallId' in part ? [part.state] : []))).toEqual(['output-available', 'output-available'])
  expect([sea, pier].map(({ called }) => called.length)).toEqual([1, 1])

  // Failures and the logout are logged and shown.
  areBroken = true
  oauth.expireTokens()
  for (const id of ['server-sea', 'server-pier']) await account.post(`/api/tool-servers/${id}/refresh`, {})
  await wire.until(() => ['server-sea', 'server-pier'].every((id) => wire.rows.get(`toolServer ${id}`)?.failure), 'two failures')
  expect((await account.fetch('/api/tool-servers/server-pier/logout', { method: 'POST' })).status).toBe(204)
  expect((await account.fetch('/api/tool-servers/server-pier/login', { method: 'POST' })).status).toBe(200)

  const record = openRecord(product.stateDir, true)
  const sealed = record
    .prepare('select sealed from toolServerSecret')
    .all()
    .map((row) => String(row.sealed))
  record.close()
  expect([sealed.length, new Set(issued).size]).toEqual([2, 5])
  const text = await (await account.fetch('/api/account/export')).text()
  const file = JSON.parse(text) as { readonly [list: string]: readonly Record<string, unknown>[] }
  expect(file.toolServers).toMatchObject([
    { id: 'server-pier', name: 'Pier', url: pier.url, headerNames: null, tools: [{ name: 'send-mail' }] },
    { id: 'server-sea', name: 'Sea', url: sea.url, headerNames: ['x-api-key'], tools: [{ name: 'send-mail' }] },
  ])
  const approval = { threadId, messageId: continuedId, state: 'allowed', cause: 'changes', input: { to: 'ben' } }
  expect(file.toolApprovals?.toSorted((a, b) => (String(a.tool) < String(b.tool) ? -1 : 1))).toMatchObject([
    { ...approval, tool: 'pier_send-mail' },
    { ...approval, tool: 'sea_send-mail' },
  ])
  await wire.settled()
  const places = { export: text, stream: JSON.stringify(wire.frames), log: product.output.join('\n') }
  for (const secret of [key, ...issued, ...sealed])
    for (const [place, content] of Object.entries(places)) expect(content.includes(secret), `${secret} in ${place}`).toBe(false)
  await wire.close()
})

const approvalsOf = (threadId: string) => ({ op: 'put', ttl: 300_000, hash: 'approvals', name: 'approvals.ofThread', args: [{ threadId }] })
