/**
 * Reads tool calls that a model has written into its text, because its server does not know the format. Such a call begins a line outside of code,
 * names a tool that was offered, and ends the answer. Any other text stays text.
 */
import { isRecord } from '../../contract/is-record.ts'
import { maxJsonLevels } from '../../contract/limits.ts'
import { parsedJson } from '../../contract/parsed-json.ts'
import { fence, isCompleted } from './thoughts.ts'
import { levelsIn } from './tool-calls.ts'
import type { CallOptions, PartReader, ProviderPart } from './types.ts'

/** The properties of the input of each offered tool. */
export type Tools = ReadonlyMap<string, Readonly<Record<string, unknown>>>
type WrittenCall = { readonly toolName: string; readonly input: string }

const marks = [
  // Qwen, Hermes, GLM
  '<tool_call>',
  // Mistral
  '[TOOL_CALLS]',
  // gpt-oss
  ...['<|channel|>commentary to=', '<|start|>assistant<|channel|>commentary to='],
  // Kimi
  '<|tool_calls_section_begin|>',
  // DeepSeek
  '<｜tool▁calls▁begin｜>',
  // MiniMax
  '<minimax:tool_call>',
  // Llama
  '<|python_tag|>',
]
/** A model that writes only the JSON of the call begins its answer with it. */
const bareCall = /^\{\s*"(?:name|type|function)"\s*:/
const bareCallBeginning = /^\{\s*(?:"\w{0,8}"?\s*)?$/
/** Chosen: more than the arguments of any tool. A longer text is shown. */
const maxHeldChars = 64 * 1024

export function toolsIn({ tools = [] }: CallOptions): Tools {
  const functions = tools.flatMap((tool) => (tool.type === 'function' ? [tool] : []))
  return new Map(functions.map(({ name, inputSchema: { properties } }) => [name, isRecord(properties) ? properties : {}]))
}

type Start = Extract<ProviderPart, { readonly type: 'text-start' }>

export function writtenCallReader(tools: Tools, emit: (part: ProviderPart) => void): PartReader {
  let start: Start | null = null
  let isOpen = false
  const lines = new LineHolder((delta) => {
    if (!start) return
    if (!isOpen) emit(start)
    isOpen = true
    emit({ type: 'text-delta', id: start.id, delta })
  })
  const end = (part: ProviderPart) => {
    if (isOpen) emit(part)
    isOpen = false
    start = null
  }
  return {
    read(part) {
      switch (part.type) {
        case 'text-start':
          lines.release()
          start = part
          return
        case 'text-delta':
          return lines.write(part.delta)
        case 'text-end':
          // The finish reason decides about the held text, so its block stays open.
          return lines.isHolding ? undefined : end(part)
        case 'finish': {
          const calls = isCompleted(part) ? callsIn(lines.held, tools) : null
          if (calls) lines.drop()
          lines.release()
          if (start) end({ type: 'text-end', id: start.id })
          for (const call of calls ?? []) emit({ type: 'tool-call', toolCallId: crypto.randomUUID(), ...call })
          return emit(calls ? { ...part, finishReason: { ...part.finishReason, unified: 'tool-calls' } } : part)
        }
        case 'tool-input-start':
        case 'tool-call':
        case 'error':
          lines.release()
          return emit(part)
        default:
          return emit(part)
      }
    },
    end: () => lines.release(),
  }
}

/** Chosen: more than a mark with the white space before it. */
const maxBeginningChars = 256

/** Passes a text on until a line that may begin a call. */
class LineHolder {
  readonly #emit: (text: string) => void
  #held = ''
  /** The beginning of the open line. */
  #line = ''
  /** What is held begins with a mark. */
  #isCall = false
  #isCode = false
  #isFirst = true
  #isReleased = false

  constructor(emit: (text: string) => void) {
    this.#emit = emit
  }

  get held(): string {
    return this.#held
  }

  get isHolding(): boolean {
    return this.#held !== ''
  }

  write(delta: string): void {
    this.#held += delta
    if (this.#isReleased || this.#held.length > maxHeldChars) this.release()
    while (this.#held !== '' && !this.#mayBegin()) this.#pass()
  }

  drop(): void {
    this.#held = ''
    this.#isCall = false
  }

  release(): void {
    const text = this.#held
    this.#isReleased ||= text !== ''
    this.drop()
    if (text !== '') this.#emit(text)
  }

  #mayBegin(): boolean {
    if (this.#isCall) return true
    if (this.#line !== '' || this.#isCode) return false
    const text = this.#held.slice(0, maxBeginningChars).replace(/^[ \t]+/, '')
    this.#isCall = marks.some((mark) => text.startsWith(mark)) || (this.#isFirst && bareCall.test(text))
    if (this.#isCall || this.#held.length > maxBeginningChars) return this.#isCall
    return marks.some((mark) => mark.startsWith(text)) || (this.#isFirst && bareCallBeginning.test(text))
  }

  /** Passes the open line on. */
  #pass(): void {
    const end = this.#held.indexOf('\n') + 1
    const passed = end === 0 ? this.#held : this.#held.slice(0, end)
    this.#held = this.#held.slice(passed.length)
    this.#line = (this.#line + passed.slice(0, maxBeginningChars)).slice(0, maxBeginningChars)
    this.#emit(passed)
    if (this.#isFirst && passed.trim() !== '') this.#isFirst = false
    if (end === 0) return
    if (fence.test(this.#line)) this.#isCode = !this.#isCode
    this.#line = ''
  }
}

/** Null unless the whole text consists of calls. */
function callsIn(text: string, tools: Tools): readonly WrittenCall[] | null {
  const calls: WrittenCall[] = []
  for (let rest = text.trim(); rest !== ''; ) {
    const found = formats.map((format) => format.exec(rest)).find((match) => match !== null)
    const given = found ? givenIn(found.groups ?? {}) : null
    const read = given?.flatMap((each) => callOf(each, tools) ?? [])
    if (!found || !given || !read || read.length !== given.length || read.length === 0) return null
    calls.push(...read)
    rest = rest.slice(found[0].length).trim()
  }
  return calls.length === 0 ? null : calls
}

/** `body`: JSON or the parameters as tags; `name`: if it is not in the body. The end may be missing. */
const formats = [
  /^<tool_call>\s*<function=(?<name>[^>\n]+)>(?<tags>[\s\S]*?)(?:<\/function>\s*)?(?:<\/tool_call>|$)/,
  /^<tool_call>\s*(?<name>[\w.-]+)\s*(?<tags>(?:<arg_key>[\s\S]*?)?)(?:<\/tool_call>|$)/,
  /^<tool_call>(?<body>[\s\S]*?)(?:<\/tool_call>|$)/,
  /^\[TOOL_CALLS\]\s*(?<name>[\w.-]+)\s*(?:\[ARGS\])?(?<body>\{[\s\S]*?)(?=\[TOOL_CALLS\]|$)/,
  /^\[TOOL_CALLS\](?<body>[\s\S]*)$/,
  /^(?:<\|start\|>assistant)?<\|channel\|>commentary to=(?:functions\.)?(?<name>[\w.-]+)(?![\w.-])[^{]*?<\|message\|>(?<body>[\s\S]*?)(?:<\|call\|>|$)/,
  /^(?:<\|tool_calls_section_begin\|>\s*)?<\|tool_call_begin\|>\s*(?:functions\.)?(?<name>[\w.-]+)(?::\d+)?\s*<\|tool_call_argument_begin\|>(?<body>[\s\S]*?)<\|tool_call_end\|>(?:\s*<\|tool_calls_section_end\|>)?/,
  /^(?:<｜tool▁calls▁begin｜>\s*)?<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?(?<name>[\w.-]+)(?:<｜tool▁sep｜>|\s*```json)(?<body>[^`]*?)(?:```\s*)?<｜tool▁call▁end｜>(?:\s*<｜tool▁calls▁end｜>)?/,
  /^(?:<minimax:tool_call>\s*)?<invoke name="(?<name>[\w.-]+)">(?<tags>[\s\S]*?)<\/invoke>(?:\s*<\/minimax:tool_call>)?/,
  /^(?:<\|python_tag\|>)?(?<body>\{[\s\S]*)$/,
]

/** Linear: each value is looked for up to the next end, and a name has no bracket. */
const parameterTags = [
  { end: /\n?<\/parameter>/, start: /<parameter=([^<>\n]+)>\n?/ },
  { end: '</parameter>', start: /<parameter name="([^"<>\n]+)">/ },
  { end: '</arg_value>', start: /<arg_key>([^<]*)<\/arg_key>\s*<arg_value>/ },
]

const parametersIn = (tags: string) =>
  parameterTags.flatMap(({ end, start }) =>
    tags
      .split(end)
      .slice(0, -1)
      .flatMap((text) => {
        const found = start.exec(text)
        return found ? [[found[1] ?? '', text.slice(found.index + found[0].length)] as const] : []
      }),
  )

type Given = { readonly name: unknown; readonly input: unknown; readonly isText: boolean }

function givenIn({ name, body, tags }: Readonly<Record<string, string | undefined>>): readonly Given[] | null {
  if (tags !== undefined) return [{ name, input: Object.fromEntries(parametersIn(tags)), isText: true }]
  const json = callJson(body ?? '')
  if (json === undefined) return null
  if (name !== undefined) return [{ name, input: json, isText: false }]
  const items: readonly unknown[] = Array.isArray(json) ? json : [json]
  return items.map((item) => {
    const call = isRecord(item) && isRecord(item.function) ? item.function : isRecord(item) ? item : {}
    return { name: call.name ?? call.function, input: call.arguments ?? call.parameters ?? call.args ?? {}, isText: false }
  })
}

/** Null for a call of a tool that was not offered. The values of tags are texts, whatever the tool takes. */
function callOf({ name, input, isText }: Given, tools: Tools): WrittenCall | null {
  const properties = typeof name === 'string' ? tools.get(name) : undefined
  if (typeof name !== 'string' || !properties) return null
  if (typeof input === 'string') return { toolName: name, input }
  if (!isRecord(input)) return null
  const typed = Object.entries(input).map(([key, value]) => [key, isText ? typedValue(String(value), properties[key]) : value])
  return { toolName: name, input: JSON.stringify(Object.fromEntries(typed)) }
}

function typedValue(text: string, property: unknown): unknown {
  if (!isRecord(property) || property.type === 'string') return text
  const value = callJson(text)
  return value === undefined ? text : value
}

/** Undefined for JSON that is nested more deeply than a call may be. */
const callJson = (text: string): unknown => (levelsIn(text) > maxJsonLevels ? undefined : parsedJson(text))
