/**
 * The tools of one turn. A source is the web or one server of the user; nothing else knows which. The registry names the source of each call,
 * lets `decide` judge it before it is sent, and quotes its result as untrusted.
 */
import { asSchema, type FlexibleSchema, type ModelMessage, type ToolResultPart, type ToolSet, tool } from 'ai'
import { maxApprovalDescriptionChars, maxApprovalSchemaChars } from '../../contract/limits.ts'
import { readPageTool, searchTool } from '../../contract/models/tools.ts'
import { planTool } from '../../contract/research/research.ts'
import { findingsTool } from '../../contract/research/research-calls.ts'
import { cutAt } from '../../contract/text.ts'
import type { ToolSourceName } from '../../contract/threads/messages.ts'
import type { ApprovalCause, ApprovalRequest } from '../../contract/tools/approvals.ts'
import type { InputAnswer } from '../../contract/tools/server-input.ts'
import { decide, type JudgedTool, type Origin, type ToolDecision, type ToolGrant, webSource } from '../../contract/tools/taint.ts'
import { visibleText } from '../../contract/visible-text.ts'
import { assert } from '../../lib/assert.ts'
import { asJson } from '../model/tool-calls.ts'
import type { Emit } from '../research/research-log.ts'
import { type OnProgress, withProgress } from './progress.ts'
import { withoutUnexpectedErrors } from './tool-failure.ts'
import { fileOfImage, isFromOutside, type ModelText, quoted, toolRules } from './untrusted.ts'

export type ToolSource = ToolSourceName & {
  readonly tools: readonly SourceTool[]
  /** For the prompt, as lines of a list. Written by us, never by a server. */
  readonly rules?: string
  /** Tokens of the definitions of its tools, if they are many. */
  readonly definitionTokens?: number
}

export type SourceTool = Omit<JudgedTool, 'source'> & {
  /** For users. */
  readonly title: string
  readonly description: string
  readonly inputSchema: FlexibleSchema<unknown>
  /**
   * Gets input that fits the schema. Throws a `ToolFailure` for a known failure; its sentence is not quoted, so nothing from outside may stand
   * in it. Throws the signal's reason when it is aborted.
   */
  execute(input: unknown, call: ToolCall): Promise<ToolResult>
}

export type ToolCall = {
  readonly toolCallId: string
  readonly signal: AbortSignal
  readonly onProgress?: OnProgress
  /** The user's answer to what an earlier call of the tool asked. `answers`: absent if the user declined. */
  readonly resumed?: { readonly callState: string; readonly answers?: readonly InputAnswer[] | undefined }
}

export type ToolResult = {
  /** Stored in the message and shown. */
  readonly shown: unknown
  readonly forModel: ModelText
  /** The call ended without a result, because its server asks the user. */
  readonly asks?: Pick<ApprovalRequest, 'form' | 'callState'>
}

/** A tool with the types of its input, which the schema checks. */
export const sourceTool = <Input>(
  definition: Omit<SourceTool, 'inputSchema' | 'execute'> & {
    readonly inputSchema: FlexibleSchema<Input>
    readonly execute: (input: Input, call: ToolCall) => Promise<ToolResult>
  },
): SourceTool => definition as SourceTool

export type ToolContext = {
  /** Unguessable mark of quotations: untrusted.ts. */
  readonly mark: string
  /** The origins of the text in the context before the turn's own calls. */
  readonly origins: readonly Origin[]
  readonly grants: readonly ToolGrant[]
  /** Receives the progress of calls. */
  readonly emit?: Emit
}

/** A tool and its source. */
export type Found = { readonly source: ToolSourceName; readonly tool: SourceTool }

/** The output of a tool for the SDK. `request`: the call waits for the user. */
export type MadeCall = Omit<ToolResult, 'asks'> & { readonly request?: ApprovalRequest }

export type Registry = {
  /** Null without tools. */
  readonly tools: ToolSet | null
  /** The section of the prompt about the tools. Null without tools. */
  readonly rules: string | null
  /** The tool with this name for the model, and its source. */
  find(name: string): Found | null
  /** The tool of this source with this definition, whatever its name for the model. */
  findDefinition(sought: { readonly source: { readonly id: string }; readonly digest: string }): Found | null
  /** `messages`: those that the model had when it wrote the call. Calls of one step do not see each other's results. */
  decide(name: string, messages: readonly ModelMessage[]): ToolDecision
}

/** Stored parts with these names belong to a research, or to the web. */
const isReserved = (name: string, sourceId: string): boolean =>
  name === planTool || name === findingsTool || (sourceId !== webSource && (name === searchTool || name === readPageTool))

/** If two tools have the same name, the first counts, so a server cannot replace a tool of an earlier source. */
export function toolRegistry(sources: readonly ToolSource[], { mark, origins, grants, emit = () => {} }: ToolContext): Registry {
  const known = new Map<string, { readonly source: ToolSource; readonly tool: SourceTool }>()
  for (const source of sources)
    for (const tool of source.tools) if (!known.has(tool.name) && !isReserved(tool.name, source.id)) known.set(tool.name, { source, tool })

  const find: Registry['find'] = (name) => known.get(name) ?? null
  const findDefinition: Registry['findDefinition'] = ({ source: { id }, digest }) =>
    [...known.values()].find(({ source, tool: { digest: own } }) => source.id === id && own === digest) ?? null
  const decideFor: Registry['decide'] = (name, messages) => {
    const found = known.get(name)
    if (!found) return 'ask'
    const seen = originsIn(messages, (called) => known.get(called)?.source.id ?? called)
    return decide({ tool: { ...found.tool, source: found.source.id }, origins: [...origins, ...seen], grants })
  }
  const entries = [...known].map(([name, { source, tool: ofSource }]) => {
    const { title, description, inputSchema, execute } = ofSource
    return [
      name,
      tool({
        description,
        inputSchema,
        // Parts of the web have no title and no source: their types name them, and a research writes the same parts.
        ...(source.id === webSource ? {} : { title, metadata: { source: { id: source.id, name: source.name } } }),
        execute: async (input, { abortSignal: signal = never, messages, toolCallId }): Promise<MadeCall> => {
          // The model call asks for approval before; this is the last guard.
          assert(decideFor(name, messages) === 'run', 'a call that needs approval is not made')
          const { asks, ...result } = await withProgress(emit, toolCallId, (onProgress) =>
            withoutUnexpectedErrors(execute(input, { signal, toolCallId, onProgress }), signal),
          )
          return asks ? { ...result, request: { ...(await requestOf({ source, tool: ofSource }, input, 'input')), ...asks } } : result
        },
        toModelOutput: ({ output }) => modelOutput(mark, output.forModel),
      }),
    ]
  })
  const rules = known.size === 0 ? null : toolRules(sources.flatMap((source) => source.rules ?? []))
  return { tools: known.size === 0 ? null : Object.fromEntries(entries), rules, find, findDefinition, decide: decideFor }
}

/** The request that the user is shown for a call that waits. */
export async function requestOf({ source, tool }: Found, input: unknown, cause: ApprovalCause): Promise<ApprovalRequest> {
  const schema = asJson(await asSchema(tool.inputSchema).jsonSchema)
  const canChange = schema !== null && JSON.stringify(schema).length <= maxApprovalSchemaChars
  return {
    source: { id: source.id, name: source.name },
    tool: tool.name,
    title: visibleText(tool.title),
    description: cutAt(visibleText(tool.description), maxApprovalDescriptionChars),
    digest: tool.digest,
    cause,
    input: asJson(input),
    ...(canChange && { inputSchema: schema }),
  }
}

/** The origins of the results in these messages. */
function originsIn(messages: readonly ModelMessage[], sourceOf: (toolName: string) => string): readonly Origin[] {
  return messages.flatMap(({ role, content }) =>
    role === 'tool'
      ? content.flatMap((part) => (part.type === 'tool-result' && isFromOutside(part.output) ? [sourceOf(part.toolName)] : []))
      : [],
  )
}

function modelOutput(mark: string, result: ModelText): ToolResultPart['output'] {
  const value = quoted(mark, result)
  if (typeof result === 'string' || !result.images?.length) return { type: 'text', value }
  return { type: 'content', value: [{ type: 'text', text: value }, ...result.images.map(fileOfImage)] }
}

const never = new AbortController().signal
