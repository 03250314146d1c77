/**
 * Collects what one message of a file contains, in its order. Files and code that a tool has written are text of the answer. Other calls of
 * tools are reasoning, because the products that wrote them show them closed. Results of tools are left out and counted.
 */
import * as z from 'zod/mini'
import { isRecord } from '../../../../../worker/contract/is-record.ts'
import { parsedJson } from '../../../../../worker/contract/parsed-json.ts'
import { textOrEmpty } from './fields.ts'
import type { ProblemReason, SourceFile, SourceMessage, SourceModel } from './source-thread.ts'

export type TurnParts = {
  readonly texts: string[]
  readonly thoughts: string[]
  readonly files: SourceFile[]
  /** Names of the tools that were called. */
  readonly tools: Set<string>
  readonly problems: Set<ProblemReason>
}

export const emptyParts = (): TurnParts => ({ texts: [], thoughts: [], files: [], tools: new Set(), problems: new Set() })

/** Shown for a message without any content that can be shown. The same in all languages. */
const emptyPlaceholder = '[…]'

/** The fields of a message. `placeholder`: shown if neither this message nor another step of the same turn has text or files. */
export function contentOf(
  { texts, thoughts, files, tools, problems }: TurnParts,
  role: SourceMessage['role'],
  model: SourceModel | undefined,
): Omit<SourceMessage, 'id' | 'parentId' | 'createdAtMs'> {
  const isUser = role === 'user'
  const text = joinedTexts(isUser ? [...texts, ...thoughts] : texts)
  // Some models write their thoughts at the start of the answer.
  const [start = '', thought = ''] = (isUser ? null : /^\s*<think(?:ing)?>([\s\S]*?)<\/think(?:ing)?>\s*/.exec(text)) ?? []
  const reasoning = isUser ? '' : joinedTexts([...thoughts, thought.trim()])
  return {
    role,
    model: isUser ? undefined : model,
    text: text.slice(start.length),
    ...(reasoning ? { reasoning } : {}),
    files,
    problems: [...problems],
    placeholder: tools.size > 0 ? [...tools].map(codeSpan).join(', ') : emptyPlaceholder,
  }
}

/** One by one: a call has a limit of arguments. */
export function addAll<T>(list: T[], added: Iterable<T>): void {
  for (const each of added) list.push(each)
}

/** The stored part in its form, or null for a part of a kind that is not known. */
export function readPart<Schema extends z.ZodMiniType>(parts: TurnParts, schema: Schema, stored: unknown): z.output<Schema> | null {
  const read = schema.safeParse(stored)
  if (!read.success) parts.problems.add('unknown_content')
  return read.success ? read.data : null
}

export const hasText = (value: unknown): boolean => allTexts(value).some((text) => text.trim() !== '')

export const joinedTexts = (texts: readonly string[]): string => texts.filter((text) => text.trim() !== '').join('\n\n')

/** Exports have no files, but the text of some: a file appears by its name, with its text. */
export function addAttachment(parts: TurnParts, name: string, text = ''): void {
  const isTextMissing = text.trim() === ''
  parts.texts.push(isTextMissing ? `[${name}]` : `[${name}]\n\n${fenced(text)}`)
  if (isTextMissing) parts.problems.add('file_left_out')
}

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Every text of the value. */
export function allTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(allTexts)
  return isRecord(value) ? Object.values(value).flatMap(allTexts) : []
}

/** Media types and file names to the name of a language of a code block. */
const languages: Readonly<Record<string, string>> = {
  document: 'markdown',
  'code/react': 'jsx',
  'application/vnd.ant.react': 'jsx',
  'application/vnd.ant.mermaid': 'mermaid',
  'application/vnd.ant.code': '',
  'image/svg+xml': 'svg',
  'text/markdown': 'markdown',
}

const languageFor = (type: string, name: string): string =>
  languages[type] ?? (/^(?:text|code|application)\/(.+)$/.exec(type)?.[1] || (/\.(\w{1,12})$/.exec(name)?.[1] ?? ''))

const firstText = (input: Readonly<Record<string, unknown>>, fields: readonly string[]): string =>
  fields.map((field) => textIn(input[field])).find((text) => text.trim() !== '') ?? ''

/** Finds files and code in the fields that the tools of the known products use. */
export function addToolCall(parts: TurnParts, name: string, called: unknown): void {
  const tool = name || 'tool'
  parts.tools.add(tool)
  const parsed = typeof called === 'string' ? (parsedJson(called) ?? called) : called
  // Open WebUI stores arguments as JSON in JSON.
  const input = typeof parsed === 'string' ? (parsedJson(parsed) ?? parsed) : parsed
  if (!isRecord(input)) {
    const text = typeof input === 'string' ? input : input === undefined ? '' : JSON.stringify(input)
    parts.thoughts.push(
      text.trim() === '' ? codeSpan(tool) : isShort(text) ? codeSpan(`${tool}: ${text}`) : `${codeSpan(tool)}\n\n${fenced(text)}`,
    )
    return
  }
  const file = firstText(input, ['title', 'path', 'file_path', 'filename', 'file_name', 'name', 'id'])
  const [before, after] = [firstText(input, ['old_str', 'old_string']), firstText(input, ['new_str', 'new_string'])]
  const written = firstText(input, ['file_text', 'content', 'code'])
  const heading = [file && codeSpan(file), textIn(input.description)].filter(Boolean).join(' ')
  const language = textIn(input.language) || textIn(input.lang) || languageFor(textIn(input.type), file)
  if (before || after) parts.texts.push(joinedTexts([heading, diff(before, after)]))
  if (written) parts.texts.push(joinedTexts([heading, fenced(written, language)]))
  if (!before && !after && !written) parts.thoughts.push(callOf(tool, input))
}

const isShort = (text: string): boolean => text.length <= 200 && !text.includes('\n')

function callOf(tool: string, input: Readonly<Record<string, unknown>>): string {
  const isLong = (value: unknown): value is string => typeof value === 'string' && value.includes('\n')
  const long = Object.entries(input).flatMap(([field, value]) => (isLong(value) ? [joinedTexts([codeSpan(field), fenced(value)])] : []))
  const others = Object.fromEntries(Object.entries(input).filter(([, value]) => !isLong(value)))
  const json = Object.keys(others).length === 0 ? '' : JSON.stringify(others)
  const head = isShort(json)
    ? codeSpan(json === '' ? tool : `${tool}: ${json}`)
    : joinedTexts([codeSpan(tool), fenced(JSON.stringify(others, null, 2), 'json')])
  return joinedTexts([head, ...long])
}

/** Tools whose results only confirm what the call has written. */
const confirming = /^(?:artifacts|create_file|str_replace|insert|present_files|canmore\b.*|str_replace_based_edit_tool)$/
/** Tools whose results a reader of the answer needs. */
const running = /^(?:python|execute_code|code_interpreter|open_webui:code_interpreter|repl|analysis|bash|bash_tool|code_execution)$/

export function addToolResult(parts: TurnParts, name: string, result: unknown, isError = false): void {
  const text = joinedTexts(resultTexts(result))
  if (text === '') return
  if (running.test(name) || isError) parts.texts.push(fenced(text))
  else if (!confirming.test(name)) parts.problems.add('tool_results')
}

const block = z.object({ text: z.string() })

function resultTexts(result: unknown): readonly string[] {
  if (Array.isArray(result)) return result.flatMap((part) => block.safeParse(part).data?.text ?? allTexts(part))
  if (typeof result !== 'string') return allTexts(result)
  // Open WebUI stores a result as JSON.
  const parsed = parsedJson(result)
  return typeof parsed === 'object' && parsed !== null ? resultTexts(parsed) : [typeof parsed === 'string' ? parsed : result]
}

const sourceSchema = z.object({ url: textOrEmpty, title: textOrEmpty, name: textOrEmpty })

/** Links to the sources in a list, in ChatGPT's format. Each address appears once; a source without an address appears by its title. */
export function sourceLinks(sources: readonly unknown[]): string {
  const links = new Map<string, string>()
  for (const source of sources) {
    const { url = '', title = '', name = '' } = sourceSchema.safeParse(source).data ?? {}
    const label = title.trim() || name.trim()
    const isOfWeb = /^https?:/i.test(url)
    if ((label || isOfWeb) && !links.has(isOfWeb ? url : label)) links.set(isOfWeb ? url : label, link(label, url))
  }
  return links.size === 0 ? '' : `(${[...links.values()].join(', ')})`
}

// Markdown around texts of a file, so that no text can end its own block.

/** Not `Math.max(...runs)`: a large text has more runs than a call may have arguments. */
const longestRun = (text: string): number => [...text.matchAll(/`+/g)].reduce((length, [run]) => Math.max(length, run.length), 0)

/** Chosen: a text with longer runs of backticks is made to break our reader. */
const maxTicks = 50

export function codeSpan(text: string): string {
  const ticks = '`'.repeat(Math.min(longestRun(text) + 1, maxTicks))
  const plain = text.replace(/\s+/g, ' ').trim()
  return ticks.length > 1 ? `${ticks} ${plain} ${ticks}` : ticks + plain + ticks
}

export function fenced(text: string, language = ''): string {
  const fence = '`'.repeat(Math.min(Math.max(3, longestRun(text) + 1), maxTicks))
  return `${fence}${/^[\w+#.-]{1,30}$/.test(language) ? language : ''}\n${text.replace(/\n$/, '')}\n${fence}`
}

/** A replacement in a file, of which neither text is lost. */
export function diff(before: string, after: string): string {
  const lines = (text: string, sign: string) => (text === '' ? [] : text.split('\n').map((line) => sign + line))
  return fenced([...lines(before, '-'), ...lines(after, '+')].join('\n'), 'diff')
}

/** Only the label for an address that is not of the web. */
export function link(label: string, url: string): string {
  const plain = (label.trim() || url).replace(/\s+/g, ' ').replace(/[[\]\\]/g, '\\$&')
  if (!/^https?:\/\/[^\s<>]+$/i.test(url)) return plain
  return `[${plain}](${/[()]/.test(url) ? `<${url}>` : url})`
}
