/**
 * The tool servers of the user and of the user's organizations as sources of tools. The definitions are those that Parley last read and the user saw, so a turn connects to a server
 * only for a call. The call reads the definition again, and a changed tool is not called.
 */
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'
import { jsonSchema } from 'ai'
import {
  maxResultImagesPerTurn,
  maxServerCallsPerTurn,
  maxServerResponseBytes,
  maxToolNameChars,
  maxTurnToolsChars,
  organizationToolCallsPerHour,
  toolCallMaxMs,
  toolCallsPerHour,
} from '../../../contract/limits.ts'
import { textTokens } from '../../../contract/models/token-estimates.ts'
import type { ServerToolOutput } from '../../../contract/tools/server-output.ts'
import type { ServerTool } from '../../../contract/tools/tool-servers.ts'
import { countHit } from '../../../db/rate-limit-hits.ts'
import type { DatabaseBindings } from '../../../db/shards.ts'
import { readMemberServers, readToolServers, type ServerOwner, type ToolServerRow, updateToolServer } from '../../../db/tool-servers.ts'
import { logger } from '../../../lib/logger.ts'
import type { SourceTool, ToolSource } from '../registry.ts'
import { ToolFailure } from '../tool-failure.ts'
import { quotedName } from '../untrusted.ts'
import { ChangedToolFailure, type ServerConnection, withServer } from './connection.ts'
import { guardedFetch, type ServerEgress } from './egress.ts'
import { ServerFailure } from './server-failure.ts'
import { credentialsOf } from './server-login.ts'
import { readSecret } from './server-secrets.ts'
import { textOfOutput } from './tool-results.ts'

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
  const taken = new Set<string>()
  let chars = maxTurnToolsChars
  return servers.map((server) => {
    const { row, shownName } = server
    const prefix = prefixOf(row.name, taken)
    const tools = row.tools.filter((tool) => {
      if (row.off?.includes(tool.name)) return false
      chars -= JSON.stringify(tool).length
      return chars >= 0
    })
    return {
      id: row.id,
      name: shownName,
      definitionTokens: textTokens(JSON.stringify(tools)),
      tools: tools.map((tool) => sourceTool(context, server, tool, prefix, turn)),
    }
  })
}

/** The calls and images that the turn may still use. */
type TurnUse = { calls: number; images: number }

/** The name of the server as the beginning of a tool's name. Different for each server. */
function prefixOf(name: string, taken: Set<string>): string {
  const base =
    name
      .toLowerCase()
      .normalize('NFKD')
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .slice(0, 20) || 'server'
  let prefix = base
  for (let number = 2; taken.has(prefix); number++) prefix = `${base}_${number}`
  taken.add(prefix)
  return prefix
}

function sourceTool(context: ServerContext, used: UsedServer, tool: ServerTool, prefix: string, turn: TurnUse): SourceTool {
  return {
    name: `${prefix}_${tool.name.replace(/[^\w-]/g, '_')}`.slice(0, maxToolNameChars),
    title: tool.title,
    description: tool.description,
    inputSchema: jsonSchema(tool.inputSchema, { validate: (input) => validated(tool, input) }),
    isReadOnly: tool.isReadOnly,
    digest: tool.digest,
    execute: async (input, { signal }) => {
      const output = await call(context, used, tool, input, signal, turn)
      const images = output.content.flatMap((part) =>
        part.type === 'image' && context.hasImages ? [{ mediaType: part.mediaType, base64: part.data }] : [],
      )
      const from = `the tool ${quotedName(tool.title)} of the server ${quotedName(used.row.name)}`
      return { shown: output, forModel: { from, text: textOfOutput(output), ...(images.length > 0 && { images }) } }
    },
  }
}

/** A schema that cannot be checked accepts any input: the server checks it too. */
function validated({ inputSchema }: ServerTool, input: unknown) {
  try {
    const result = new CfWorkerJsonSchemaValidator().getValidator<unknown>(inputSchema)(input)
    return result.valid ? ({ success: true, value: input } as const) : ({ success: false, error: new Error(result.errorMessage) } as const)
  } catch {
    return { success: true, value: input } as const
  }
}

async function call(
  context: ServerContext,
  used: UsedServer,
  tool: ServerTool,
  input: unknown,
  signal: AbortSignal,
  turn: TurnUse,
): Promise<ServerToolOutput> {
  const { env, userId, nowMs } = context
  const { owner } = used
  if (turn.calls === 0) throw new ToolFailure(`No more than ${maxServerCallsPerTurn} calls of servers are made for one answer.`)
  turn.calls -= 1
  const { count } = await countHit(env, `tool-calls:${userId}`, 3600, nowMs())
  if (count > toolCallsPerHour) throw new ToolFailure('The limit of tool calls per hour is reached.')
  if (typeof owner !== 'string') {
    const ofAll = await countHit(env, `organization-tool-calls:${owner.organizationId}`, 3600, nowMs())
    if (ofAll.count > organizationToolCallsPerHour)
      throw new ToolFailure('The limit of tool calls per hour is reached for the members of this organization together.')
  }
  try {
    const output = await connected(context, used, signal, (server) => server.call(tool, input as Record<string, unknown>))
    return withinImages(output, turn)
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof ChangedToolFailure) await readAgain(context, used, signal)
    if (!(error instanceof ServerFailure)) throw error
    if (error.code === 'refused') await store(context, used, { state: 'login', failure: 'refused' })
    throw new ToolFailure(error.message, { cause: error })
  }
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
  if (!secret) throw new ToolFailure('This server was removed, or the user no longer has access to it.')
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(2 * toolCallMaxMs)])
  const logins = guardedFetch({ ...egress, signal: timeout, maxBytes: maxServerResponseBytes })
  const credentials = credentialsOf({ env, authSecret, owner, id }, secret, logins)
  return withServer({ url, credentials }, egress, timeout, use)
}

/** Stores what the server offers now, so that the user sees the change. A grant for the old definition has ended with it. */
async function readAgain(context: ServerContext, used: UsedServer, signal: AbortSignal): Promise<void> {
  try {
    const { tools, unusable } = await connected(context, used, signal, (server) => server.list())
    await store(context, used, { tools, unusable })
  } catch (error) {
    logger.warn('tools_not_read', { reason: error instanceof ServerFailure ? error.code : 'unknown' })
  }
}

/** A row that has the changes already is not written: a write notifies all readers. */
async function store({ env, nowMs, onChange }: ServerContext, { owner, row }: UsedServer, changes: Partial<ToolServerRow>) {
  const names = Object.keys(changes) as (keyof ToolServerRow)[]
  if (names.every((name) => JSON.stringify(changes[name]) === JSON.stringify(row[name]))) return
  await updateToolServer(env, owner, row.id, { ...changes, checkedAt: nowMs() })
  await onChange(owner)
}

/** The images are part of the stored answer, whose size is limited. */
function withinImages(output: ServerToolOutput, turn: TurnUse): ServerToolOutput {
  const content = output.content.filter(({ type }) => type !== 'image' || turn.images-- > 0)
  turn.images = Math.max(0, turn.images)
  return content.length < output.content.length ? { ...output, content, isCut: true } : output
}
