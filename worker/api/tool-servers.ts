/**
 * /api/tool-servers: the servers of tools that a user has added. Only accounts add servers. Secrets travel in these bodies alone, because the
 * mutations of a page are stored in its browser.
 */
import * as z from 'zod'
import { createCounter } from '../auth/counters.ts'
import type { SessionViewer } from '../auth/session.ts'
import { serverEgress } from '../chat/tools/mcp/egress.ts'
import type { Manager } from '../chat/tools/mcp/manage-servers.ts'
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
  maxToolNameChars,
  maxToolServerNameChars,
  maxToolServerUrlChars,
  maxToolsPerServer,
  toolServerChecksPerHour,
} from '../contract/limits.ts'
import { cleanName } from '../contract/names.ts'
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

const addArgs = z.object({ id: idSchema, url, name: name.optional(), headers: headers.optional() })
const headerArgs = z.object({ headers })
const changeArgs = z.object({
  name: name.refine((text) => text !== '').optional(),
  off: z.array(z.string().max(maxToolNameChars)).max(maxToolsPerServer).optional(),
})

const argumentValues = z
  .record(z.string().max(maxServerArgumentNameChars), z.string().max(maxServerArgumentChars))
  .refine((given) => Object.keys(given).length <= maxServerArguments)
const resourceArgs = z.object({ uri: z.string().max(maxResourceUriChars), args: argumentValues.optional() })
const promptArgs = z.object({ name: z.string().max(maxServerPromptNameChars), args: argumentValues.optional() })

type Handle<T> = (manager: Manager, viewer: SessionViewer, args: T) => Promise<Response>

/** For requests of an account. `isChecked`: the request connects to a server, and counts. */
async function withManager<T>(c: AppContext, schema: z.ZodType<T> | null, isChecked: boolean, handle: Handle<T>): Promise<Response> {
  const viewer = await readViewer(c)
  if (!viewer) return refuseWith(c, 'session_required')
  if (viewer.isAnonymous) return refuseWith(c, 'not_authorized')
  const parsed = schema === null ? null : schema.safeParse(await c.req.json().catch(() => null))
  if (parsed?.success === false) return refuseField(c, parsed.error)
  const { env, var: variables } = c
  const { settings } = variables
  if (isChecked) {
    const { count, leftS } = await createCounter(env, settings.redis, systemClock)(`tool-servers:${viewer.userId}`, 3600)
    if (count > toolServerChecksPerHour) {
      c.header('retry-after', String(leftS))
      return refuseWith(c, 'rate_limited')
    }
  }
  const manager: Manager = {
    env,
    authSecret: settings.authSecret,
    userId: viewer.userId,
    egress: serverEgress(env.PUBLIC_INTERNET, settings.environment),
    nowMs: systemClock(),
  }
  const response = await handle(manager, viewer, parsed?.data as T)
  await notify(env, [viewer.userId])
  return response
}

/** The user enters addresses and headers, so they have sentences of their own. */
function refuseField(c: AppContext, { issues }: z.ZodError): Response {
  const [field] = issues[0]?.path ?? []
  if (field !== 'url' && field !== 'headers') return refuseWith(c, 'invalid_request')
  return c.json({ failure: field === 'url' ? 'address' : 'headers' } satisfies ToolServerBody)
}

/** An id of a wrong form names no server. */
const idOf = (c: AppContext): string => idSchema.safeParse(c.req.param('id')).data ?? ''

const found = (c: AppContext, body: ToolServerBody | null): Response => (body === null ? refuseWith(c, 'not_found') : c.json(body))

export const handleAddServer = (c: AppContext): Promise<Response> =>
  withManager(c, addArgs, true, async (manager, _, { id, url: address, name: given = '', headers: sent = {} }) => {
    const failure = await (await manage()).addServer(manager, { id, url: address, name: given, headers: sent })
    if (failure === 'taken') return refuseWith(c, 'invalid_request')
    return c.json({ failure } satisfies ToolServerBody, failure === null ? 201 : 200)
  })

export const handleRefreshServer = (c: AppContext): Promise<Response> =>
  withManager(c, null, true, async (manager) => found(c, await (await manage()).refreshServer(manager, idOf(c))))

export const handleServerHeaders = (c: AppContext): Promise<Response> =>
  withManager(c, headerArgs, true, async (manager, _, { headers: sent }) =>
    found(c, await (await manage()).setHeaders(manager, idOf(c), sent)),
  )

export const handleChangeServer = (c: AppContext): Promise<Response> =>
  withManager(c, changeArgs, false, async (manager, _, { name: newName, off }) => {
    const changes = { ...(newName !== undefined && { name: newName }), ...(off !== undefined && { off }) }
    return (await (await manage()).changeServer(manager, idOf(c), changes)) ? c.body(null, 204) : refuseWith(c, 'not_found')
  })

/** Reads only: the page attaches the files by uploads, whose ids make them repeatable. */
export const handleServerResource = (c: AppContext): Promise<Response> =>
  withManager(c, resourceArgs, true, async (manager, _, { uri, args = {} }) =>
    found(c, await (await useServers()).readResource(manager, idOf(c), uri, args)),
  )

export const handleServerPrompt = (c: AppContext): Promise<Response> =>
  withManager(c, promptArgs, true, async (manager, _, { name: prompt, args = {} }) =>
    found(c, await (await useServers()).readPrompt(manager, idOf(c), prompt, args)),
  )

const callbackPath = '/api/tool-servers/callback'

export const handleServerLogin = (c: AppContext): Promise<Response> =>
  withManager(c, null, true, async (manager, { sessionId }) => {
    const redirectUrl = `${originOf(c)}${callbackPath}`
    return found(c, await (await manage()).startLogin(manager, idOf(c), { sessionId, redirectUrl }))
  })

/** Public: authorization servers read who Parley is. */
export const handleClientDocument = async (c: AppContext): Promise<Response> =>
  c.json((await import('../chat/tools/mcp/server-login.ts')).clientDocument(`${originOf(c)}${callbackPath}`))

/** The browser returns from a login. The page shows the outcome in the row of the server. */
export async function handleServerCallback(c: AppContext): Promise<Response> {
  const response = await withManager(c, null, true, async (manager, { sessionId }) => {
    const finished = await (await manage()).finishLogin(manager, new URL(c.req.url).searchParams, sessionId)
    return c.redirect(`/account/tools?login=${finished === null ? 'expired' : (finished.failure ?? 'done')}`, 303)
  })
  if (response.status === 401) return c.redirect(`/login?callbackUrl=${encodeURIComponent('/account/tools')}`, 303)
  return response.status === 303 ? response : c.redirect('/account/tools?login=expired', 303)
}

export const handleServerLogout = (c: AppContext): Promise<Response> =>
  withManager(c, null, true, async (manager) =>
    (await (await manage()).endLogin(manager, idOf(c))) ? c.body(null, 204) : refuseWith(c, 'not_found'),
  )

export const handleRemoveServer = (c: AppContext): Promise<Response> =>
  withManager(c, null, false, async (manager) => {
    await (await manage()).removeServer(manager, idOf(c))
    return c.body(null, 204)
  })
