/**
 * The tool servers of the user and of the user's organizations as sources of tools. The definitions are those that the user
 * accepted, so a turn connects to a server only for a call. The call reads the definition again, and a changed tool is not called before the user accepts it.
 */
import type { Progress } from '@modelcontextprotocol/client'
import { type JSONSchema7, jsonSchema } from 'ai'
import {
  maxResultImagesPerTurn,
  maxServerCallsPerTurn,
  organizationToolCallsPerHour,
  toolCallMaxMs,
  toolCallsPerHour,
} from '../../../contract/limits.ts'
import { withServerNames } from '../../../contract/tools/model-schema.ts'
import { type SentTool, serverDefinitions } from '../../../contract/tools/server-definitions.ts'
import type { ServerToolOutput } from '../../../contract/tools/server-output.ts'
import type { ServerTool } from '../../../contract/tools/tool-servers.ts'
import { countHit } from '../../../db/rate-limit-hits.ts'
import type { DatabaseBindings } from '../../../db/shards.ts'
import { readMemberServers, readToolServers, type ServerOwner, type ToolServerRow, updateToolServer } from '../../../db/tool-servers.ts'
import { schemaError } from '../../../lib/fits-schema.ts'
import { logger } from '../../../lib/logger.ts'
import { seal, unseal } from '../../../lib/sealed.ts'
import type { SourceTool, ToolCall, ToolSource } from '../registry.ts'
import { ToolFailure } from '../tool-failure.ts'
import { quotedName } from '../untrusted.ts'
import { ChangedToolFailure, type ServerConnection } from './connection.ts'
import type { ServerEgress } from './egress.ts'
import type { AskingCall, CallState, ResumedCall } from './input-requests.ts'
import { ServerFailure } from './server-failure.ts'
import { settledFailure, withStoredServer } from './server-login.ts'
import { readSecret } from './server-secrets.ts'
import { hasAll, storeListing } from './stored-tools.ts'
import { progressOf, textOfOutput } from './tool-results.ts'

export type ServerContext = {
  readonly env: DatabaseBindings
  readonly authSecret: string
  readonly userId: string
  readonly egress: ServerEgress
  readonly nowMs: () => number
  /** The model reads images. */
  readonly hasImages: boolean
  /** The rows of the servers of this owner have changed. */
  readonly onChange: (owner: ServerOwner) => Promise<void>
}

/** A server that the turn uses. `shownName`: with the organization that it belongs to. */
type UsedServer = { readonly owner: ServerOwner; readonly row: ToolServerRow; readonly shownName: string }

async function usedServers({ env, userId }: ServerContext, ids: readonly string[]): Promise<readonly UsedServer[]> {
  const own = (await readToolServers(env, userId)).filter(({ id }) => ids.includes(id))
  const others = ids.filter((id) => !own.some((row) => row.id === id))
  const ofOrganizations = others.length === 0 ? [] : await readMemberServers(env, userId, others)
  return [
    ...own.map((row) => ({ owner: userId, row, shownName: row.name })),
    ...ofOrganizations.map((row) => ({
      owner: { organizationId: row.organizationId },
      row,
      shownName: `${row.name} (${row.organization})`,
    })),
  ]
}

/** `ids`: the servers that the thread uses. */
export async function serverSources(context: ServerContext, ids: readonly string[]): Promise<readonly ToolSource[]> {
  const servers = await usedServers(context, ids)
  const turn: TurnUse = { calls: maxServerCallsPerTurn, images: maxResultImagesPerTurn }
  return serverDefinitions(servers.map((used) => ({ ...used, ...used.row }))).map(({ server, tools, tokens }) => ({
    ...{ id: server.row.id, name: server.shownName, definitionTokens: tokens },
    tools: tools.map((tool) => sourceTool(context, server, tool, turn)),
  }))
}

/** The calls and images that the turn may still use. */
type TurnUse = { calls: number; images: number }

function sourceTool(context: ServerContext, used: UsedServer, { tool, name, schema, argumentNames }: SentTool, turn: TurnUse): SourceTool {
  return {
    name,
    title: tool.title,
    description: tool.description,
    inputSchema: jsonSchema(schema, { validate: (input) => validated(schema, input) }),
    isReadOnly: tool.isReadOnly,
    digest: tool.digest,
    execute: async (input, made) => {
      const output = await call(context, used, tool, withServerNames(input, argumentNames), made, turn)
      if ('asks' in output) {
        const callState = await sealState(context, used, output.state)
        return { shown: null, forModel: 'The server asks the user. The answer goes on afterwards.', asks: { form: output.asks, callState } }
      }
      const images = output.content.flatMap((part) =>
        part.type === 'image' && context.hasImages ? [{ mediaType: part.mediaType, base64: part.data }] : [],
      )
      const from = `the tool ${quotedName(tool.title)} of the server ${quotedName(used.row.name)}`
      return { shown: output, forModel: { from, text: textOfOutput(output), ...(images.length > 0 && { images }) } }
    },
  }
}

function validated(schema: JSONSchema7, input: unknown) {
  const error = schemaError(schema, input)
  return error === null ? ({ success: true, value: input } as const) : ({ success: false, error: new Error(error) } as const)
}

async function call(
  context: ServerContext,
  used: UsedServer,
  tool: ServerTool,
  input: unknown,
  { signal, onProgress, resumed }: ToolCall,
  turn: TurnUse,
): Promise<ServerToolOutput | AskingCall> {
  const { env, userId, nowMs } = context
  const { owner } = used
  if (turn.calls === 0)
    throw new ToolFailure('calls_of_answer', `No more than ${maxServerCallsPerTurn} calls of servers are made for one answer.`)
  turn.calls -= 1
  const { count } = await countHit(env, `tool-calls:${userId}`, 3600, nowMs())
  if (count > toolCallsPerHour) throw new ToolFailure('calls_of_hour', 'The limit of tool calls per hour is reached.')
  if (typeof owner !== 'string') {
    const ofAll = await countHit(env, `organization-tool-calls:${owner.organizationId}`, 3600, nowMs())
    if (ofAll.count > organizationToolCallsPerHour)
      throw new ToolFailure(
        'calls_of_organization',
        'The limit of tool calls per hour is reached for the members of this organization together.',
      )
  }
  try {
    const known = resumed && (await openState(context, used, resumed))
    const report = (progress: Progress) => {
      const shown = progressOf(progress)
      if (shown) onProgress?.(shown)
    }
    const output = await connected(context, used, signal, (server) => server.call(tool, input as Record<string, unknown>, report, known))
    return 'asks' in output ? output : withinImages(output, turn)
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof ChangedToolFailure) await readAgain(context, used, signal)
    if (!(error instanceof ServerFailure)) throw error
    const failure = await settledFailure({ env, authSecret: context.authSecret, owner, id: used.row.id }, error)
    if (failure.wantsLogin) await store(context, used, { state: 'login', failure: failure.code })
    throw new ToolFailure(failure.code, failure.message, { cause: error })
  }
}

const purpose = 'call of a tool server'

const sealState = ({ authSecret }: ServerContext, { row: { id } }: UsedServer, state: CallState): Promise<string> =>
  seal(authSecret, purpose, id, JSON.stringify(state))

/** Absent after a change of the Worker's secret: the server then asks again. */
async function openState(
  { authSecret }: ServerContext,
  { row: { id } }: UsedServer,
  { callState, answers }: NonNullable<ToolCall['resumed']>,
): Promise<ResumedCall | undefined> {
  const text = await unseal(authSecret, purpose, id, callState)
  return text === null ? undefined : { state: JSON.parse(text) as CallState, answers }
}

async function connected<T>(
  { env, authSecret, userId, egress }: ServerContext,
  { owner, row: { id, url } }: UsedServer,
  signal: AbortSignal,
  use: (server: ServerConnection) => Promise<T>,
): Promise<T> {
  // Read for each call: a user who has left the organization meanwhile makes no further call.
  const reader: ServerOwner = typeof owner === 'string' ? owner : { ...owner, by: { userId, as: 'member' } }
  const secret = await readSecret({ env, authSecret, owner: reader, id })
  if (!secret) throw new ToolFailure('server_removed', 'This server was removed, or the user no longer has access to it.')
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(2 * toolCallMaxMs)])
  return withStoredServer({ env, authSecret, owner, id }, { url, secret }, egress, timeout, use)
}

/** Stores what the server offers now, so that the user sees the change and can accept it. A grant for the old definition has ended with it. */
async function readAgain(context: ServerContext, used: UsedServer, signal: AbortSignal): Promise<void> {
  const { env, nowMs, onChange } = context
  const { owner, row } = used
  try {
    const offer = await connected(context, used, signal, (server) => server.list())
    const isNew = await storeListing({ env, owner, id: row.id }, { ...offer, checkedAt: nowMs() }, { isRepeatWritten: false })
    if (isNew) await onChange(owner)
  } catch (error) {
    logger.warn('tools_not_read', { reason: error instanceof ServerFailure ? error.code : 'unknown' })
  }
}

/** A row that has the changes already is not written: a write notifies all readers. */
async function store({ env, nowMs, onChange }: ServerContext, { owner, row }: UsedServer, changes: Partial<ToolServerRow>) {
  if (hasAll(row, changes)) return
  await updateToolServer(env, owner, row.id, { ...changes, checkedAt: nowMs() })
  await onChange(owner)
}

/** The images are part of the stored answer, whose size is limited. */
function withinImages(output: ServerToolOutput, turn: TurnUse): ServerToolOutput {
  const content = output.content.filter(({ type }) => type !== 'image' || turn.images-- > 0)
  turn.images = Math.max(0, turn.images)
  return content.length < output.content.length ? { ...output, content, isCut: true } : output
}
