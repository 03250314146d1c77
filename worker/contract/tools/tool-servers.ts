/**
 * The servers of tools (MCP) that a user, or an organization for its members, has added, as clients see them; the rules of `schema.ts` apply. Their
 * credentials are never synced.
 */
import { json, number, type ReadonlyJSONObject, string, table } from '@rocicorp/zero'

/** How Parley proves to the server who calls: not at all, with headers that the user entered, or with a token of a login (OAuth). */
export type ToolServerLogin = 'none' | 'headers' | 'oauth'

/** `login`: the server wants the user to log in. `failed`: the last connection failed; `failure` has the reason. */
export type ToolServerState = 'ready' | 'login' | 'failed'

/** Why a server could not be used or added. The page has a sentence for each. */
export type ToolServerFailure =
  | 'headers'
  | 'limit'
  | 'address'
  | 'unreachable'
  | 'timeout'
  | 'refused'
  | 'scopes'
  | 'redirects'
  | 'too_large'
  | 'unreadable'
  | 'no_server'
  | 'error'
  | 'busy'
  | 'no_login'
  | 'login_failed'

/** A new login may help. */
export const wantsLogin = (failure: ToolServerFailure): boolean => failure === 'refused' || failure === 'scopes'

/** A tool as its server describes it. Nothing here is trusted: the server chooses every word. */
export type ServerTool = {
  readonly name: string
  readonly title: string
  readonly description: string
  /** JSON schema of the arguments. */
  readonly inputSchema: ReadonlyJSONObject
  /** The server says that the tool changes nothing. */
  readonly isReadOnly: boolean
  /** The digest of the whole definition. */
  readonly digest: string
  /** The definition that was accepted. With it, this definition waits for consent: the tool is neither offered to a model nor called (`tool-consent.ts`). */
  readonly accepted?: ToolDefinition
  /** The server no longer lists the tool. This definition was accepted; it is kept to compare the tool when it returns. */
  readonly isGone?: true
}

export type ToolDefinition = Pick<ServerTool, 'title' | 'description' | 'inputSchema' | 'isReadOnly' | 'digest'>

/** A text that a prompt or a template of addresses asks for. */
export type ServerArgument = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly isRequired: boolean
}

/** Something to read. The address is only sent back to the server. With `args` it is a template (RFC 6570). */
export type ServerResource = {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly args?: readonly ServerArgument[]
}

export type ServerPrompt = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly args: readonly ServerArgument[]
}

/** Entries of a server's offer that Parley cannot use. `failure`: the list could not be read, so the list before is kept. */
export type LeftOut = {
  readonly kind: 'tool' | 'resource' | 'prompt'
  readonly count: number
  /** The names of the first entries. */
  readonly names: readonly string[]
  readonly failure?: ToolServerFailure
}

/** The columns of both tables. */
const serverColumns = () => ({
  login: string<ToolServerLogin>(),
  state: string<ToolServerState>(),
  failure: string<ToolServerFailure>().optional(),
  tools: json<readonly ServerTool[]>(),
  /** Tools of the server that Parley cannot use, because their definitions are invalid or too large. */
  unusable: number(),
  /** Null: not read yet. */
  resources: json<readonly ServerResource[]>().optional(),
  prompts: json<readonly ServerPrompt[]>().optional(),
  leftOut: json<readonly LeftOut[]>().optional(),
  /** Names of tools that the user has switched off. */
  off: json<readonly string[]>().optional(),
  /** Names of the headers that the user has entered. */
  headerNames: json<readonly string[]>().optional(),
  createdAt: number(),
  /** When Parley last read what the server offers. */
  checkedAt: number(),
})

export const toolServer = table('toolServer')
  .columns({ id: string(), userId: string(), name: string(), url: string(), ...serverColumns() })
  .primaryKey('id')

/** Only its host: the address of a server can contain a key, which members do not see. */
export const organizationToolServer = table('organizationToolServer')
  .columns({ id: string(), organizationId: string(), name: string(), host: string(), ...serverColumns() })
  .primaryKey('id')

/** A source of tools as a thread or a project switches it. */
export type SwitchedSource = { readonly id: string; readonly isOfOrganization?: boolean }

/**
 * `switched`: the sources whose switch a thread or a project has moved, stored as `offTools`. The web and the user's servers are on without it. Servers
 * of an organization are off: others chose them, so the user decides where they get words of the user.
 */
export const isSourceOn = ({ id, isOfOrganization = false }: SwitchedSource, switched: readonly string[]): boolean =>
  switched.includes(id) === isOfOrganization

export const switchSource = (id: string, switched: readonly string[]): readonly string[] =>
  switched.includes(id) ? switched.filter((other) => other !== id) : [...switched, id]

export const isListed = ({ isGone }: Pick<ServerTool, 'isGone'>): boolean => isGone !== true

type Offer = {
  readonly tools: readonly Pick<ServerTool, 'isGone'>[]
  readonly resources?: readonly unknown[] | null | undefined
  readonly prompts?: readonly unknown[] | null | undefined
}

/** False for a server that a thread cannot use for anything. */
export const hasOffer = ({ tools, resources, prompts }: Offer): boolean =>
  [tools.filter(isListed), resources, prompts].some((offered) => (offered?.length ?? 0) > 0)
