/**
 * The client that the official conformance suite runs: Parley's own code adds the server of the scenario and calls its tools, for a user who agrees
 * to every login and sends each form of a call as it is shown. A login that a call requires is repeated once. Ends with 1 if the server cannot be used
 * or a call fails.
 */
import { answerOf, valuesOf } from '../../web/features/chat/approvals/input-values.ts'
import { addServer, finishLogin, type Manager, startLogin } from '../../worker/chat/tools/mcp/manage-servers.ts'
import { serverSources } from '../../worker/chat/tools/mcp/server-source.ts'
import type { ToolResult } from '../../worker/chat/tools/registry.ts'
import { readToolServer } from '../../worker/db/tool-servers.ts'
import { createNodeD1 } from './node-d1.ts'

type ToolCall = { readonly name: string; readonly arguments: unknown }
type Context = { readonly toolCalls?: readonly ToolCall[] }

const url = process.argv.at(-1) ?? ''
const { toolCalls } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Context
const [id, userId] = ['0190d0c0-0000-7000-8000-000000000001', 'ada']
const session = { sessionId: 'session-1', redirectUrl: 'https://conformance-test.local/callback' }
const manager: Manager = {
  env: { DB: createNodeD1() },
  authSecret: 'a secret of the tests that is long enough',
  owner: userId,
  egress: { send: fetch, isLocalAllowed: true },
  nowMs: Date.now(),
}

async function logIn(): Promise<void> {
  const started = await startLogin(manager, id, session)
  if (!started || !('address' in started)) throw new Error(`no login: ${started?.failure}`)
  const { headers } = await fetch(started.address, { redirect: 'manual' })
  const finished = await finishLogin(manager, new URL(headers.get('location') ?? '').searchParams, session.sessionId)
  // The server may refuse the new token too.
  if (finished?.failure !== null && finished?.failure !== 'refused') throw new Error(`the login failed: ${finished?.failure}`)
}

/** A value that fits a schema of the suite. */
function sample(schema: Record<string, unknown>): unknown {
  const { type, properties = {} } = schema as { readonly type?: string; readonly properties?: Record<string, Record<string, unknown>> }
  if (type === 'object') return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, sample(inner)]))
  return type === 'number' || type === 'integer' ? 1 : type === 'boolean' ? true : type === 'array' ? [] : 'text'
}

/** The answers of a user who changes nothing in the forms. */
const answersTo = (form: NonNullable<ToolResult['asks']>['form']) =>
  form?.map((ask) => {
    if (!('schema' in ask)) throw new Error('a form is asked for')
    const read = answerOf(ask.schema, valuesOf(ask.schema, undefined))
    if (!read.ok) throw new Error(`the form has no complete values: ${JSON.stringify(read.problems)}`)
    return read.answer
  })

async function call({ name, arguments: args }: ToolCall, mayLogIn = true): Promise<void> {
  const context = { ...manager, userId, nowMs: Date.now, hasImages: true, onChange: async () => undefined }
  const [source] = await serverSources(context, [id])
  const tool = source?.tools.find(({ title, name: full }) => title === name || full.endsWith(`_${name}`))
  if (!tool) throw new Error(`no tool ${name}`)
  try {
    const made = { toolCallId: name, signal: new AbortController().signal }
    for (let { asks } = await tool.execute(args, made); asks?.callState !== undefined; ) {
      const resumed = { callState: asks.callState, answers: answersTo(asks.form) }
      ;({ asks } = await tool.execute(args, { ...made, resumed }))
    }
  } catch (error) {
    if (!mayLogIn || (await readToolServer(manager.env, userId, id))?.state !== 'login') throw error
    await logIn()
    await call({ name, arguments: args }, false)
  }
}

const failure = await addServer(manager, { id, url, name: 'Suite', headers: {} })
if (failure !== null) throw new Error(`the server cannot be added: ${failure}`)
for (let login = 0; login < 2 && (await readToolServer(manager.env, userId, id))?.state === 'login'; login++) await logIn()
const offered = (await readToolServer(manager.env, userId, id))?.tools ?? []
const schemaOf = (name: string) => offered.find((tool) => tool.name === name)?.inputSchema
/** One tool returns the schema of another one, as the client has read it. */
const argumentsFor = (name: string, schema: Record<string, unknown>): unknown =>
  name === 'json_schema_echo' ? { schema: schemaOf('json_schema_2020_12_tool') } : sample(schema)
for (const one of toolCalls ?? offered.map(({ name, inputSchema }) => ({ name, arguments: argumentsFor(name, inputSchema) })))
  await call(one)
