/**
 * The definitions of the tools of servers as a request to a model has them. The turn sends them and its quote counts them by these functions, so
 * both agree. Pure; not part of the first load of the page.
 */
import { maxToolNameChars, maxTurnTools, maxTurnToolsChars } from '../limits.ts'
import { textTokens } from '../models/token-estimates.ts'
import { modelSchema } from './model-schema.ts'
import { isUsable } from './tool-consent.ts'
import { isSourceOn, type ServerTool, type SwitchedSource } from './tool-servers.ts'

type DefinedServer = {
  readonly name: string
  readonly tools: readonly ServerTool[]
  /** Names of tools that are switched off. */
  readonly off?: readonly string[] | null | undefined
}

type ModelSchema = ReturnType<typeof modelSchema>

/** A tool as the model knows it. */
export type SentTool = {
  readonly tool: ServerTool
  readonly name: string
  readonly schema: ModelSchema['schema']
  readonly argumentNames: ModelSchema['names']
}

type ServerDefinitions<Server> = {
  readonly server: Server
  readonly tools: readonly SentTool[]
  /** The tokens of the definitions of these tools. */
  readonly tokens: number
}

/** In the order of the servers. Tools that are switched off or wait for consent, and tools beyond the limits of a request, are left out. */
export function serverDefinitions<Server extends DefinedServer>(servers: readonly Server[]): readonly ServerDefinitions<Server>[] {
  const taken = new Set<string>()
  const names = new Set<string>()
  let chars = maxTurnToolsChars
  return servers.map((server) => {
    const prefix = prefixOf(server.name, taken)
    const sent: string[] = []
    const tools = server.tools.flatMap((tool): readonly SentTool[] => {
      if (!isUsable(tool, server) || names.size === maxTurnTools || chars < 0) return []
      const name = nameOf(`${prefix}_${tool.name}`, tool.digest, names)
      const { schema, names: argumentNames } = modelSchema(tool.inputSchema)
      const definition = JSON.stringify({ name, description: tool.description, schema })
      chars -= definition.length
      if (chars < 0) return []
      names.add(name)
      sent.push(definition)
      return [{ tool, name, schema, argumentNames }]
    })
    return { server, tools, tokens: textTokens(sent.join('\n')) }
  })
}

export type StoredServer = DefinedServer & SwitchedSource & { readonly createdAt: number }

/** The servers whose tools a thread uses, in the order of the turn: those of the user first, the oldest first. `switched`: as for `isSourceOn`. */
export const usedServers = <Server extends StoredServer>(servers: readonly Server[], switched: readonly string[]): readonly Server[] =>
  servers
    .filter((server) => server.tools.length > 0 && isSourceOn(server, switched))
    .sort((a, b) => Number(a.isOfOrganization ?? false) - Number(b.isOfOrganization ?? false) || a.createdAt - b.createdAt)

/** The tokens of all definitions in a request of the thread. */
export const definitionTokens = (servers: readonly StoredServer[], switched: readonly string[]): number =>
  serverDefinitions(usedServers(servers, switched)).reduce((sum, { tokens }) => sum + tokens, 0)

/** A name that providers accept. Tools whose names become the same, because they are long or have other characters, keep different ones. */
function nameOf(full: string, digest: string, names: ReadonlySet<string>): string {
  const plain = full.replace(/[^\w-]/g, '_')
  const name = plain.length > maxToolNameChars ? withDigest(plain, digest) : plain
  return names.has(name) ? withDigest(plain, digest) : name
}

const withDigest = (name: string, digest: string): string => `${name.slice(0, maxToolNameChars - 9)}_${digest.slice(0, 8)}`

/** The name of the server as the beginning of a tool's name. Different for each server. */
function prefixOf(name: string, taken: Set<string>): string {
  const plain = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 20)
  // Google refuses a name that begins with a digit.
  const base = /^[a-z]/.test(plain) ? plain : `server${plain && `_${plain}`}`
  let prefix = base
  for (let number = 2; taken.has(prefix); number++) prefix = `${base}_${number}`
  taken.add(prefix)
  return prefix
}
