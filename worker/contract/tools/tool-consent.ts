/**
 * Consent to changed tools. A server can change a definition, which a model follows, at any time. A tool whose definition changed waits until its user, or
 * an owner or admin of its organization, accepts the change (ADR 0157). Adding a server accepts its tools, and a tool with a new name is on. Pure.
 */
import { maxServerToolsChars, maxToolsPerServer } from '../limits.ts'
import { isListed, type ServerTool, type ToolDefinition } from './tool-servers.ts'

type Switches = { readonly off?: readonly string[] | null | undefined }

/** The only rule of which tools a turn has. */
export const isUsable = ({ name, accepted, isGone }: ServerTool, { off }: Switches): boolean =>
  accepted === undefined && isGone !== true && !off?.includes(name)

/** The tools to store when a server lists `listed`. `known`: those that are stored. */
export function toolsAfterListing(known: readonly ServerTool[], listed: readonly ServerTool[]): readonly ServerTool[] {
  const byName = new Map(known.map((tool) => [tool.name, tool]))
  const now = listed.map((tool) => {
    const before = byName.get(tool.name)
    const accepted = before && acceptedOf(before)
    return accepted === undefined || accepted.digest === tool.digest ? tool : { ...tool, accepted }
  })
  const names = new Set(listed.map(({ name }) => name))
  const gone = known
    .filter(({ name }) => !names.has(name))
    .map((tool): ServerTool => ({ name: tool.name, ...acceptedOf(tool), isGone: true }))
  // Chosen: as much as listed tools may have, of those that left last. They come first, because listed tools do.
  let chars = maxServerToolsChars
  const kept = gone.slice(0, maxToolsPerServer).filter((tool) => {
    chars -= JSON.stringify(tool).length
    return chars >= 0
  })
  return [...now, ...kept]
}

/** The tools after the user has accepted the definition with this digest. Null if the server lists no such definition now. */
export function toolsAfterConsent(tools: readonly ServerTool[], name: string, digest: string): readonly ServerTool[] | null {
  const tool = tools.find((one) => one.name === name && one.digest === digest && isListed(one))
  return tool ? tools.map((one) => (one === tool ? { name, ...definitionOf(one) } : one)) : null
}

const acceptedOf = (tool: ServerTool): ToolDefinition => tool.accepted ?? definitionOf(tool)

const definitionOf = ({ title, description, inputSchema, isReadOnly, digest }: ToolDefinition): ToolDefinition => ({
  title,
  description,
  inputSchema,
  isReadOnly,
  digest,
})
