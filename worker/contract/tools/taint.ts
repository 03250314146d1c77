/**
 * Decides which tool calls need the user's approval. Text from outside can contain instructions that a model follows, so each answer records
 * where the text in its context came from (ADR 0144). Pure.
 */
import { isPageRead, isToolPart } from '../models/tools.ts'
import { planTool } from '../research/research.ts'
import type { ChatMessage, MessagePart } from '../threads/messages.ts'

/** Id of the source of tools that searches and reads the web. The id of any other source is the id of a server. */
export const webSource = 'web'

/** Any attached file, imported answers, and threads and prompts of other users. Not an id of a source, so no tool counts it as its own. */
export const fileOrigin = 'file'

/** Beginning of the failure of a call that quotes its server: the scopes that the login lacks. */
export const lackedScopes = 'The server requires rights that the login lacks: '

/** `webSource`, `fileOrigin` or the id of a server. Text that the user typed has no origin. */
export type Origin = string

/** A tool as the rule knows it. */
export type JudgedTool = {
  /** Id of its source. */
  readonly source: string
  readonly name: string
  /** The digest of its definition: name, description, schema and `isReadOnly`. */
  readonly digest: string
  /** False if a call changes something. */
  readonly isReadOnly: boolean
  /** True if its input only selects from what the user or this source named, so a call carries nothing out. */
  readonly isSelection?: boolean
}

/** “Allow for this thread”. It ends when the definition of the tool changes. */
export type ToolGrant = { readonly source: string; readonly tool: string; readonly digest: string }

export type ToolDecision = 'run' | 'ask'

type Judged = { readonly tool: JudgedTool; readonly origins: readonly Origin[]; readonly grants: readonly ToolGrant[] }

/**
 * A tool that changes something asks. A read-only tool asks if the context has text of another origin than its own source, because its input
 * can carry data out. A grant of the thread allows exactly the tool that it names.
 */
export function decide({ tool, origins, grants }: Judged): ToolDecision {
  if (grants.some((grant) => grant.source === tool.source && grant.tool === tool.name && grant.digest === tool.digest)) return 'run'
  if (!tool.isReadOnly) return 'ask'
  return tool.isSelection || origins.every((origin) => origin === tool.source) ? 'run' : 'ask'
}

type ContextTexts = {
  /** The whole path to the question: a summary stands for messages that are left out. */
  readonly history: readonly ChatMessage[]
  readonly hasProjectFiles: boolean
  /** The answer that the turn continues. */
  readonly continued?: ChatMessage | undefined
}

/** The origins of what a turn has in its context before its own calls. */
export const originsOfContext = ({ history, hasProjectFiles, continued }: ContextTexts): readonly Origin[] => [
  ...new Set([...[...history, ...(continued ? [continued] : [])].flatMap(originsOfMessage), ...(hasProjectFiles ? [fileOrigin] : [])]),
]

/** An answer names the origins of its whole context, also of messages that were left out since. */
function originsOfMessage(message: ChatMessage): readonly Origin[] {
  const { parts } = message
  if (message.role === 'user') return [...(message.origins ?? []), ...(parts.some(({ type }) => type === 'file') ? [fileOrigin] : [])]
  // The metadata of a damaged message may be missing.
  const { origins = [], imported = false } = (message.metadata ?? {}) as Partial<typeof message.metadata>
  return [...origins, ...(imported ? [fileOrigin] : []), ...originsOfParts(parts)]
}

/** The origins of an answer's parts. The parts of web tools have no source (`ToolPart.source`). */
export const originsOfParts = (parts: readonly MessagePart[]): readonly Origin[] => [
  ...new Set(
    parts.flatMap((part) => {
      // A plan is written by the model alone.
      if (!isToolPart(part) || part.type === `tool-${planTool}`) return []
      // A site can influence which failure of a page is shown.
      const isOutsideFailure = part.errorText?.startsWith(lackedScopes) || isPageRead(part)
      const isOutside = part.state === 'output-available' || (part.state === 'output-error' && isOutsideFailure)
      return isOutside ? [part.source?.id ?? webSource] : []
    }),
  ),
]
