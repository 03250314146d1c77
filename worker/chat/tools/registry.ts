/**
 * The tools of one turn. A source is the web or one server of the user; nothing else knows which. The registry names the source of each call,
 * lets `decide` judge it before it is sent, and quotes its result as untrusted.
 */
import { type FlexibleSchema, type ModelMessage, type ToolResultPart, type ToolSet, tool } from 'ai'
import { readPageTool, searchTool } from '../../contract/models/tools.ts'
import { planTool } from '../../contract/research/research.ts'
import { findingsTool } from '../../contract/research/research-calls.ts'
import type { ToolSourceName } from '../../contract/threads/messages.ts'
import { decide, type JudgedTool, type Origin, type ToolDecision, type ToolGrant, webSource } from '../../contract/tools/taint.ts'
import { assert } from '../../lib/assert.ts'
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

export type ToolCall = { readonly toolCallId: string; readonly signal: AbortSignal }

export type ToolResult = {
  /** Stored in the message and shown. */
  readonly shown: unknown
  readonly forModel: ModelText
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
}

export type Registry = {
  /** Null without tools. */
  readonly tools: ToolSet | null
  /** The section of the prompt about the tools. Null without tools. */
  readonly rules: string | null
  /** The tool with this name for the model, and its source. */
  find(name: string): { readonly source: ToolSourceName; readonly tool: SourceTool } | null
  /** `messages`: those that the model had when it wrote the call. Calls of one step do not see each other's results. */
  decide(name: string, messages: readonly ModelMessage[]): ToolDecision
}

/** Stored parts with these names belong to a research, or to the web. */
const isReserved = (name: string, sourceId: string): boolean =>
  name === planTool || name === findingsTool || (sourceId !== webSource && (name === searchTool || name === readPageTool))

/** If two tools have the same name, the first counts, so a server cannot replace a tool of an earlier source. */
export function toolRegistry(sources: readonly ToolSource[], { mark, origins, grants }: ToolContext): Registry {
  const known = new Map<string, { readonly source: ToolSource; readonly tool: SourceTool }>()
  for (const source of sources)
    for (const tool of source.tools) if (!known.has(tool.name) && !isReserved(tool.name, source.id)) known.set(tool.name, { source, tool })

  const find: Registry['find'] = (name) => known.get(name) ?? null
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
        // Parts without a source are of the web, as all were before there were others.
        ...(source.id === webSource ? {} : { title, metadata: { source: { id: source.id, name: source.name } } }),
        execute: (input, { abortSignal = never, messages, toolCallId }) => {
          // The model call asks for approval before; this is the last guard.
          assert(decideFor(name, messages) === 'run', 'a call that needs approval is not made')
          return execute(input, { signal: abortSignal, toolCallId })
        },
        toModelOutput: ({ output }) => modelOutput(mark, output.forModel),
      }),
    ]
  })
  const rules = known.size === 0 ? null : toolRules(sources.flatMap((source) => source.rules ?? []))
  return { tools: known.size === 0 ? null : Object.fromEntries(entries), rules, find, decide: decideFor }
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
