/**
 * /api/tool-servers: the servers of tools that a user, or an owner or admin for an organization, has added. Only accounts add servers. Secrets travel
 * in these bodies alone, because the mutations of a page are stored in its browser.
 */
import * as z from 'zod'
import { createCounter } from '../auth/counters.ts'
import type { SessionViewer } from '../auth/session.ts'
import { serverEgress } from '../chat/tools/mcp/egress.ts'
import type { Manager } from '../chat/tools/mcp/manage-servers.ts'
import type { RefusalCode } from '../contract/errors.ts'
import type { ToolServerBody } from '../contract/http.ts'
import { idSchema } from '../contract/ids.ts'
import {
  maxResourceUriChars,
  maxServerArgumentChars,
  maxServerArgumentNameChars,
  maxServerArguments,
  maxServerHeaderChars,
  maxServerHeaders,
  maxServerPromptNameChars,
  maxServerToolNameChars,
  maxToolServerNameChars,
  maxToolServerUrlChars,
  maxToolsPerServer,
  organizationServerRequestsPerHour,
  organizationToolCallsPerHour,
  toolCallsPerHour,
  toolServerChecksPerHour,
} from '../contract/limits.ts'
import { cleanName } from '../contract/names.ts'
import { mayManageServers, roleOf } from '../contract/organizations/organization.ts'
import { readRole } from '../db/customers.ts'
import { type DatabaseBindings, directoryDb } from '../db/shards.ts'
import { readersOf, readOrganizationOf, type ServerOwner } from '../db/tool-servers.ts'
import { systemClock } from '../lib/clock.ts'
import { notify } from '../user-sync/rpc.ts'
import { type AppContext, originOf, readViewer, refuseWith } from './http.ts'

/** Loads the client of servers, which few requests need. */
const manage = () => import('../chat/tools/mcp/manage-servers.ts')
const useServers = () => import('../chat/tools/mcp/use-servers.ts')

const name = z.string().transform((text) => cleanName(text).slice(0, maxToolServerNameChars))
const url = z.url({ protocol: /^https?$/ }).max(maxToolServerUrlChars)
/** RFC 9110, section 5.6.2. Headers of the connection and of the protocol are not the user's. */
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~\w-]{1,60}$/)
  .refine((header) => !reserved.test(header))
const reserved =
  /^(?:host|content-.*|accept|accept-encoding|connection|cookie|origin|referer|transfer-encoding|upgrade|te|trailer|mcp-.*|last-event-id)$/i
const headerValue = z
  .string()
  .trim()
  .min(1)
  .max(maxServerHeaderChars)
  .regex(/^[\x20-\x7e]+$/)
const headers = z.record(headerName, headerValue).refine((given) => Object.keys(given).length <= maxServerHeaders)

/** `organizationId`: the server is for its members. */
const addArgs = z.object({ id: idSchema, url, name: name.optional(), headers: headers.optional(), organizationId: z.optional(idSchema) })
const headerArgs = z.object({ headers })
const toolName = z.string().max(maxServerToolNameChars)
const changeArgs = z.object({
  name: name.refine((text) => text !== '').optional(),
  off: z.array(toolName).max(maxToolsPerServer).optional(),
  accept: z.object({ name: toolName, digest: z.hash('sha256') }).optional(),
})

const argumentValues = z
  .record(z.string().max(maxServerArgumentNameChars), z.string().max(maxServerArgumentChars))
  .refine((given) => Object.keys(given).length <= maxServerArguments)
const resourceArgs = z.object({ uri: z.string().max(maxResourceUriChars), args: argumentValues.optional() })
const promptArgs = z.object({ name: z.string().max(maxServerPromptNameChars), args: argumentValues.optional() })

const suggestionArgs = z.object({
  kind: z.enum(['prompt', 'resource']),
  key: z.string().max(maxResourceUriChars),
  argument: z.object({ name: z.string().max(maxServerArgumentNameChars), value: z.string().max(maxServerArgumentChars) }),
  args: argumentValues,
})

type Handle<T> = (manager: Manager, viewer: SessionViewer, args: T) => Promise<Response>

type Named = { readonly serverId: string } | { readonly organizationId: string }

/**
 * The owner of a server that exists or is added. An organization of others is not found; a server of theirs counts as one of the user, who has none
 * with this id. A member without the permission gets `not_authorized`.
 */
async function ownerOf(
  env: DatabaseBindings,
  userId: string,
  named: Named,
  as: 'manager' | 'member',
): Promise<ServerOwner | { readonly refused: RefusalCode }> {
  const organizationId = 'serverId' in named ? await readOrganizationOf(env, named.serverId) : named.organizationId
  if (organizationId === null) return userId
  const role = await readRole(directoryDb(env), organizationId, userId)
  if (role === null) return 'serverId' in named ? userId : { refused: 'not_found' }
  const isAllowed = as === 'member' || mayManageServers(roleOf(role))
  return isAllowed ? { organizationId, by: { userId, as } } : { refused: 'not_authorized' }
}

type Options<T> = {
  readonly schema?: z.ZodType<T>
  /** The request connects to a server, and counts. `call`: as a call of a tool, because typing causes it. */
  readonly isChecked: boolean | 'call'
  /** The server or the organization. Default: the server in the path. */
  readonly named?: (args: T) => Named | null
  /** `member`: the request uses the server and does not change it. Default: `manager`. */
  readonly as?: 'manager' | 'member'
}

/** For requests of an account about a server that it may manage or use. */
async function withManager<T>(
  c: AppContext,
  { schema, isChecked, named, as = 'manager' }: Options<T>,
  handle: Handle<T>,
): Promise<Response> {
  const viewer = await readViewer(c)
  if (!viewer) return refuseWith(c, 'session_required')
  if (viewer.isAnonymous) return refuseWith(c, 'not_authorized')
  const parsed = schema?.safeParse(await c.req.json().catch(() => null))
  if (parsed?.success === false) return refuseField(c, parsed.error)
  const args = parsed?.data as T
  const { env, var: variables } = c
  const { settings } = variables
  const { userId } = viewer
  const of = named ? named(args) : { serverId: idOf(c) }
  const owner = of === null ? userId : await ownerOf(env, userId, of, as)
  if (typeof owner === 'object' && 'refused' in owner) return refuseWith(c, owner.refused)
  const limits: (readonly [key: string, max: number])[] = [
    ...(isChecked === 'call' ? [[`tool-calls:${userId}`, toolCallsPerHour] as const] : []),
    ...(isChecked === true ? [[`tool-servers:${userId}`, toolServerChecksPerHour] as const] : []),
    ...(typeof owner === 'object' ? [organizationLimits(owner.organizationId)[as]] : []),
  ]
  for (const [key, max] of limits) {
    const { count, leftS } = await createCounter(env, settings.redis, systemClock)(key, 3600)
    if (count <= max) continue
    c.header('retry-after', String(leftS))
    return refuseWith(c, 'rate_limited')
  }
  const manager: Manager = {
    env,
    authSecret: settings.authSecret,
    owner,
    egress: serverEgress(env.PUBLIC_INTERNET, settings.environment),
    nowMs: systemClock(),
  }
  const response = await handle(manager, viewer, args)
  if (as === 'manager') await notify(env, await readersOf(env, owner))
  return response
}

const organizationLimits = (id: string) =>
  ({
    manager: [`organization-servers:${id}`, organizationServerRequestsPerHour],
    member: [`organization-server-uses:${id}`, organizationToolCallsPerHour],
  }) as const

/** The user enters addresses and headers, so they have sentences of their own. */
function refuseField(c: AppContext, { issues }: z.ZodError): Response {
  const [field] = issues[0]?.path ?? []
  if (field !== 'url' && field !== 'headers') return refuseWith(c, 'invalid_request')
  return c.json({ failure: field === 'url' ? 'address' : 'headers' } satisfies ToolServerBody)
}

/** An id of a wrong form names no server. */
const idOf = (c: AppContext): string => idSchema.safeParse(c.req.param('id')).data ?? ''

const found = (c: AppContext, body: ToolServerBody | null): Response => (body === null ? refuseWith(c, 'not_found') : c.json(body))

const ofAdded = ({ organizationId }: z.infer<typeof addArgs>): Named | null => (organizationId === undefined ? null : { organizationId })

export const handleAddServer = (c: AppContext): Promise<Response> =>
  withManager(c, { schema: addArgs, isChecked: true, named: ofAdded }, async (manager, _, args) => {
    const { id, url: address, name: given = '', headers: sent = {} } = args
    const failure = await (await manage()).addServer(manager, { id, url: address, name: given, headers: sent })
    if (failure === 'taken') return refuseWith(c, 'invalid_request')
    return c.json({ failure } satisfies ToolServerBody, failure === null ? 201 : 200)
  })

export const handleRefreshServer = (c: AppContext): Promise<Response> =>
  withManager(c, { isChecked: true }, async (manager) => found(c, await (await manage()).refreshServer(manager, idOf(c))))

export const handleServerHeaders = (c: AppContext): Promise<Response> =>
  withManager(c, { schema: headerArgs, isChecked: true }, async (manager, _, { headers: sent }) =>
    found(c, await (await manage()).setHeaders(manager, idOf(c), sent)),
  )

export const handleChangeServer = (c: AppContext): Promise<Response> =>
  withManager(c, { schema: changeArgs, isChecked: false }, async (manager, _, { name: newName, off, accept }) => {
    const changes = { ...(newName !== undefined && { name: newName }), ...(off !== undefined && { off }), accept }
    const refused = await (await manage()).changeServer(manager, idOf(c), changes)
    return refused === null ? c.body(null, 204) : refuseWith(c, refused)
  })

/** Reads only: the page attaches the files by uploads, whose ids make them repeatable. */
const useServer = <T>(
  c: AppContext,
  schema: z.ZodType<T>,
  use: (manager: Manager, args: T) => Promise<ToolServerBody | null>,
  isChecked: true | 'call' = true,
) =>
  withManager(c, { schema, isChecked, as: 'member' }, async (manager, _, args) => {
    const body = await use(manager, args)
    // The server may want a login now, which all its users see.
    if (body?.failure) await notify(c.env, await readersOf(c.env, manager.owner))
    return found(c, body)
  })

export const handleServerResource = (c: AppContext): Promise<Response> =>
  useServer(c, resourceArgs, async (manager, { uri, args = {} }) => (await useServers()).readResource(manager, idOf(c), uri, args))

export const handleServerPrompt = (c: AppContext): Promise<Response> =>
  useServer(c, promptArgs, async (manager, { name: prompt, args = {} }) => (await useServers()).readPrompt(manager, idOf(c), prompt, args))

export const handleServerSuggestions = (c: AppContext): Promise<Response> =>
  useServer(c, suggestionArgs, async (manager, args) => (await useServers()).suggestValues(manager, idOf(c), args), 'call')

const callbackPath = '/api/tool-servers/callback'

export const handleServerLogin = (c: AppContext): Promise<Response> =>
  withManager(c, { isChecked: true }, async (manager, { sessionId }) => {
    const redirectUrl = `${originOf(c)}${callbackPath}`
    return found(c, await (await manage()).startLogin(manager, idOf(c), { sessionId, redirectUrl }))
  })

/** Public: authorization servers read who Parley is. */
export const handleClientDocument = async (c: AppContext): Promise<Response> =>
  c.json((await import('../chat/tools/mcp/server-login.ts')).clientDocument(`${originOf(c)}${callbackPath}`))

const personalPage = '/account/tools'

/** The browser returns from a login. The page shows the outcome in the row of the server. */
export async function handleServerCallback(c: AppContext): Promise<Response> {
  const params = new URL(c.req.url).searchParams
  // The id of a server begins the state of its login.
  const serverId = idSchema.safeParse(params.get('state')?.split('.')[0]).data ?? ''
  const response = await withManager(c, { isChecked: true, named: () => ({ serverId }) }, async (manager, { sessionId }) => {
    const finished = await (await manage()).finishLogin(manager, params, sessionId)
    const page = typeof manager.owner === 'string' ? personalPage : `/team/${manager.owner.organizationId}/tools`
    return c.redirect(`${page}?login=${finished === null ? 'expired' : (finished.failure ?? 'done')}`, 303)
  })
  if (response.status === 401) return c.redirect(`/login?callbackUrl=${encodeURIComponent(personalPage)}`, 303)
  return response.status === 303 ? response : c.redirect(`${personalPage}?login=expired`, 303)
}

export const handleServerLogout = (c: AppContext): Promise<Response> =>
  withManager(c, { isChecked: true }, async (manager) =>
    (await (await manage()).endLogin(manager, idOf(c))) ? c.body(null, 204) : refuseWith(c, 'not_found'),
  )

export const handleRemoveServer = (c: AppContext): Promise<Response> =>
  withManager(c, { isChecked: false }, async (manager) => {
    await (await manage()).removeServer(manager, idOf(c))
    return c.body(null, 204)
  })
