/**
 * The user's tool servers as sources of tools. The definitions are those that Parley last read and the user saw, so a turn connects to a server
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
  toolCallMaxMs,
  toolCallsPerHour,
} from '../../../contract/limits.ts'
import { textTokens } from '../../../contract/models/token-estimates.ts'
import type { ServerToolOutput } from '../../../contract/tools/server-output.ts'
import type { ServerTool } from '../../../contract/tools/tool-servers.ts'
import { countHit } from '../../../db/rate-limit-hits.ts'
import type { DatabaseBindings } from '../../../db/shards.ts'
import { readToolServers, type ToolServerRow, updateToolServer } from '../../../db/tool-servers.ts'
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
  /** The rows of the user have changed. */
  readonly onChange: () => Promise<void>
}

/** `ids`: the servers that the thread uses. */
export async function serverSources(context: ServerContext, ids: readonly string[]): Promise<readonly ToolSource[]> {
  const rows = (await readToolServers(context.env, context.userId)).filter(({ id }) => ids.includes(id))
  const turn: TurnUse = { calls: maxServerCallsPerTurn, images: maxResultImagesPerTurn }
  const taken = new Set<string>()
  let chars = maxTurnToolsChars
  return rows.map((row) => {
    const prefix = prefixOf(row.name, taken)
    const tools = row.tools.filter((tool) => {
      if (row.off?.includes(tool.name)) return false
      chars -= JSON.stringify(tool).length
      return chars >= 0
    })
    return {
      id: row.id,
      name: row.name,
      definitionTokens: textTokens(JSON.stringify(tools)),
      tools: tools.map((tool) => sourceTool(context, row, tool, prefix, turn)),
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

function sourceTool(context: ServerContext, row: ToolServerRow, tool: ServerTool, prefix: string, turn: TurnUse): SourceTool {
  return {
    name: `${prefix}_${tool.name.replace(/[^\w-]/g, '_')}`.slice(0, maxToolNameChars),
    title: tool.title,
    description: tool.description,
    inputSchema: jsonSchema(tool.inputSchema, { validate: (input) => validated(tool, input) }),
    isReadOnly: tool.isReadOnly,
    digest: tool.digest,
    execute: async (input, { signal }) => {
      const output = await call(context, row, tool, input, signal, turn)
      const images = output.content.flatMap((part) =>
        part.type === 'image' && context.hasImages ? [{ mediaType: part.mediaType, base64: part.data }] : [],
      )
      const from = `the tool ${quotedName(tool.title)} of the server ${quotedName(row.name)}`
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
  row: ToolServerRow,
  tool: ServerTool,
  input: unknown,
  signal: AbortSignal,
  turn: TurnUse,
): Promise<ServerToolOutput> {
  const { env, userId, nowMs } = context
  if (turn.calls === 0) throw new ToolFailure(`No more than ${maxServerCallsPerTurn} calls of servers are made for one answer.`)
  turn.calls -= 1
  const { count } = await countHit(env, `tool-calls:${userId}`, 3600, nowMs())
  if (count > toolCallsPerHour) throw new ToolFailure('The limit of tool calls per hour is reached.')
  try {
    const output = await connected(context, row, signal, (server) => server.call(tool, input as Record<string, unknown>))
    return withinImages(output, turn)
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof ChangedToolFailure) await readAgain(context, row, signal)
    if (!(error instanceof ServerFailure)) throw error
    if (error.code === 'refused') await store(context, row, { state: 'login', failure: 'refused' })
    throw new ToolFailure(error.message, { cause: error })
  }
}

async function connected<T>(
  { env, authSecret, userId, egress }: ServerContext,
  { id, url }: ToolServerRow,
  signal: AbortSignal,
  use: (server: ServerConnection) => Promise<T>,
): Promise<T> {
  const secret = await readSecret({ env, authSecret, userId, id })
  if (!secret) throw new ToolFailure('The user has removed this server.')
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(2 * toolCallMaxMs)])
  const logins = guardedFetch({ ...egress, signal: timeout, maxBytes: maxServerResponseBytes })
  const credentials = credentialsOf({ env, authSecret, userId, id }, secret, logins)
  return withServer({ url, credentials }, egress, timeout, use)
}

/** Stores what the server offers now, so that the user sees the change. A grant for the old definition has ended with it. */
async function readAgain(context: ServerContext, row: ToolServerRow, signal: AbortSignal): Promise<void> {
  try {
    await store(context, row, await connected(context, row, signal, (server) => server.list()))
  } catch (error) {
    logger.warn('tools_not_read', { reason: error instanceof ServerFailure ? error.code : 'unknown' })
  }
}

async function store(
  { env, userId, nowMs, onChange }: ServerContext,
  { id }: ToolServerRow,
  changes: Parameters<typeof updateToolServer>[3],
) {
  await updateToolServer(env, userId, id, { ...changes, checkedAt: nowMs() })
  await onChange()
}

/** The images are part of the stored answer, whose size is limited. */
function withinImages(output: ServerToolOutput, turn: TurnUse): ServerToolOutput {
  const content = output.content.filter(({ type }) => type !== 'image' || turn.images-- > 0)
  turn.images = Math.max(0, turn.images)
  return content.length < output.content.length ? { ...output, content, isCut: true } : output
}
