/** A chat of Open WebUI's export: `chat.history` has the messages of a tree by id. Images are data URLs. */
import * as z from 'zod/mini'
import { isRecord } from '../../../../../worker/contract/is-record.ts'
import { parsedJson } from '../../../../../worker/contract/parsed-json.ts'
import { flag, idField, listOrEmpty, modelNamed, textOrEmpty, textOrNull, timeMs } from './fields.ts'
import { emptyMessage, type ProblemReason, type SourceMessage, type SourceThread } from './source-thread.ts'
import {
  addAll,
  addAttachment,
  addToolCall,
  addToolResult,
  allTexts,
  contentOf,
  emptyParts,
  fenced,
  hasText,
  joinedTexts,
  readPart,
  sourceLinks,
  type TurnParts,
  textIn,
} from './turn-parts.ts'

const messageSchema = z.object({
  id: z.optional(z.catch(z.nullable(idField), null)),
  parentId: z.optional(textOrNull),
  role: textOrEmpty,
  content: z.catch(z.union([z.string(), z.array(z.unknown())]), ''),
  reasoning_content: textOrEmpty,
  model: z.optional(textOrNull),
  modelName: z.optional(textOrNull),
  timestamp: z.optional(z.unknown()),
  files: listOrEmpty,
  output: listOrEmpty,
  /** Code that a tool has run. */
  code_executions: listOrEmpty,
  sources: listOrEmpty,
  error: z.optional(z.unknown()),
  /** The answer that a model has made of the answers of several models. */
  merged: z.catch(z.object({ content: textOrEmpty }), { content: '' }),
})

export const openWebUiSchema = z.object({
  id: z.optional(idField),
  title: z.optional(textOrNull),
  created_at: z.optional(z.unknown()),
  updated_at: z.optional(z.unknown()),
  archived: flag,
  chat: z.object({
    title: z.optional(textOrNull),
    models: z.catch(z.array(z.string()), []),
    system: textOrEmpty,
    params: z.catch(z.object({ system: textOrEmpty }), { system: '' }),
    timestamp: z.optional(z.unknown()),
    history: z.catch(z.object({ messages: z.record(z.string(), z.unknown()), currentId: z.optional(textOrNull) }), { messages: {} }),
    messages: listOrEmpty,
  }),
})

export function fromOpenWebUi(entry: z.infer<typeof openWebUiSchema>, fallbackId: string): SourceThread {
  const { chat } = entry
  const [model] = chat.models
  const inTree = Object.entries(chat.history.messages).map(([id, stored]) => messageOf(stored, model, id))
  return {
    id: entry.id ?? fallbackId,
    title: entry.title ?? chat.title ?? null,
    createdAtMs: timeMs(entry.created_at) ?? timeMs(chat.timestamp),
    updatedAtMs: timeMs(entry.updated_at),
    headId: chat.history.currentId ?? null,
    isArchived: entry.archived,
    problems: joinedTexts([chat.system, chat.params.system]) === '' ? [] : ['hidden_text'],
    messages: inTree.length > 0 ? inTree : listedMessages(chat.messages, model),
  }
}

/** Older exports have only the shown messages, in order. */
function listedMessages(stored: readonly unknown[], model: string | undefined): readonly SourceMessage[] {
  const messages: SourceMessage[] = []
  for (const [index, each] of stored.entries()) {
    const id = messageSchema.safeParse(each).data?.id ?? `message-${index}`
    messages.push({ ...messageOf(each, model, id), parentId: messages.at(-1)?.id ?? null })
  }
  return messages
}

function messageOf(stored: unknown, threadModel: string | undefined, id: string): SourceMessage {
  const read = messageSchema.safeParse(stored)
  if (!read.success) return emptyMessage(id, null, ['damaged'])
  const { parentId = null, role: storedRole, model, modelName, timestamp, content } = read.data
  const at = { id, parentId, createdAtMs: timeMs(timestamp) }
  const notShown = notShownRoles[storedRole]
  if (notShown) return { ...at, role: 'assistant', text: '', problems: hasText(content) ? [notShown] : [] }
  const role = storedRole === 'user' ? 'user' : 'assistant'
  return { ...at, ...contentOf(partsOf(read.data), role, modelNamed(modelName) ?? modelNamed(model) ?? modelNamed(threadModel)) }
}

const notShownRoles: Readonly<Record<string, ProblemReason>> = {
  system: 'hidden_text',
  developer: 'hidden_text',
  tool: 'tool_results',
  function: 'tool_results',
}

const textPart = z.object({ type: z.literal('text'), text: z.string() })
const imagePart = z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) })

function partsOf(message: z.infer<typeof messageSchema>): TurnParts {
  const { role, content, reasoning_content, files, output, code_executions, sources, error, merged } = message
  const parts = emptyParts()
  for (const each of files) addFile(parts, each)
  parts.thoughts.push(reasoning_content)
  for (const part of typeof content === 'string' ? [{ type: 'text', text: content }] : content) {
    const [text, image] = [textPart.safeParse(part), imagePart.safeParse(part)]
    if (image.success) addImage(parts, image.data.image_url.url, '')
    else if (!text.success) parts.problems.add('unknown_content')
    else if (role === 'user') parts.texts.push(text.data.text)
    else addWithDetails(parts, text.data.text)
  }
  // Newer versions write both, and `content` may lack a part of `output`.
  const written = [...parts.texts, ...parts.thoughts].map((text) => text.trim()).join('\n')
  const isMissing = (text: string) => !written.includes(text.trim())
  const inOutput = emptyParts()
  for (const item of output) addItem(inOutput, item)
  addAll(parts.texts, inOutput.texts.filter(isMissing))
  addAll(parts.thoughts, inOutput.thoughts.filter(isMissing))
  // Otherwise `content` has what `output` cannot show.
  if (written.trim() === '') for (const problem of inOutput.problems) parts.problems.add(problem)
  for (const tool of inOutput.tools) parts.tools.add(tool)
  for (const each of code_executions) addExecution(parts, each)
  parts.texts.push(merged.content)
  const failure = joinedTexts(
    typeof error === 'string' ? [error] : isRecord(error) ? allTexts(error.content ?? error.message ?? error.detail ?? error) : [],
  )
  if (failure !== '') parts.texts.push(failure)
  addSources(parts, sources)
  return parts
}

const fileSchema = z.looseObject({
  type: textOrEmpty,
  url: textOrEmpty,
  name: textOrEmpty,
  content: textOrEmpty,
  content_type: textOrEmpty,
})
const storedFileSchema = z.object({
  filename: textOrEmpty,
  data: z.catch(z.object({ content: textOrEmpty }), { content: '' }),
})

function addFile(parts: TurnParts, stored: unknown): void {
  const read = readPart(parts, fileSchema, stored)
  if (!read) return
  const { type, url, name, content, content_type, file } = read
  if (type === 'image' || content_type.startsWith('image/')) {
    addImage(parts, url, name)
    return
  }
  const { filename = '', data } = storedFileSchema.safeParse(file).data ?? {}
  addAttachment(parts, name || filename || url || type || 'file', data?.content || content)
}

/** The server has kept an image that is not a data URL. */
function addImage(parts: TurnParts, url: string, name: string): void {
  parts.files.push(
    url.startsWith('data:image/')
      ? { kind: 'inline', url, name: name || 'image' }
      : { kind: 'archived', id: url || 'image', name: name || undefined },
  )
}

const itemSchema = z.looseObject({ type: textOrEmpty, name: textOrEmpty, call_id: textOrEmpty })

/** An item of `output`, which has the form of the Responses API. */
function addItem(parts: TurnParts, stored: unknown): void {
  const item = readPart(parts, itemSchema, stored)
  if (!item) return
  const { type, name, content, summary, code, lang, output, arguments: called } = item
  switch (type) {
    case 'message':
      addAll(parts.texts, itemTexts(content))
      if (joinedTexts(itemTexts(content)) === '' && Array.isArray(content) && content.length > 0) parts.problems.add('unknown_content')
      return
    case 'reasoning':
      addAll(parts.thoughts, [...itemTexts(content), ...itemTexts(summary)])
      return
    case 'function_call':
      addToolCall(parts, name, called)
      return
    case 'function_call_output':
      addToolResult(parts, name, output)
      return
  }
  if (typeof code === 'string') {
    parts.texts.push(fenced(code, textIn(lang)))
    addOutput(parts, output)
    return
  }
  const texts = [...itemTexts(content), ...itemTexts(item.text)]
  addAll(parts.texts, texts)
  if (joinedTexts(texts) === '') parts.problems.add('unknown_content')
}

function itemTexts(content: unknown): readonly string[] {
  const parts = Array.isArray(content) ? content : [content]
  return parts.map((part) => (isRecord(part) ? textIn(part.text) || textIn(part.refusal) : textIn(part)))
}

const executionSchema = z.object({
  code: textOrEmpty,
  language: textOrEmpty,
  result: z.catch(z.object({ output: textOrEmpty, error: textOrEmpty }), { output: '', error: '' }),
})

function addExecution(parts: TurnParts, stored: unknown): void {
  const execution = readPart(parts, executionSchema, stored)
  if (!execution) return
  const { code, language, result } = execution
  if (code !== '') parts.texts.push(fenced(code, language))
  addOutput(parts, { stdout: result.output, stderr: result.error })
}

const sourceSchema = z.object({
  source: z.catch(z.looseObject({ name: textOrEmpty, url: textOrEmpty }), { name: '', url: '' }),
  document: listOrEmpty,
  metadata: listOrEmpty,
})

/** The sources that the numbers in the text name. Texts that were found in them are left out. */
function addSources(parts: TurnParts, sources: readonly unknown[]): void {
  const found = sources.flatMap((each) => sourceSchema.safeParse(each).data ?? [])
  const names = found.map(({ source }) => sourceLinks([source]).slice(1, -1)).filter(Boolean)
  if (names.length > 0) parts.texts.push([...new Set(names)].map((name, index) => `${index + 1}. ${name}`).join('\n'))
  if (found.some(({ document }) => hasText(document))) parts.problems.add('tool_results')
}

/**
 * Open WebUI stores reasoning, calls of tools and code in the text of an answer, as `<details>` elements that begin a line. They count outside of
 * code blocks only, as in its own parser.
 */
const opening = /^<details\b[^>]*\stype="(?:reasoning|tool_calls|code_interpreter)"/
const closing = '</details>'
const fenceMark = /^ {0,3}(`{3,}|~{3,})/

function addWithDetails(parts: TurnParts, content: string): void {
  let text: string[] = []
  let element: string[] | null = null
  let fence: string | null = null
  const flush = () => {
    parts.texts.push(text.join('\n').trim())
    text = []
  }
  for (const line of content.split('\n')) {
    const mark = fenceMark.exec(line)?.[1]
    const wasInFence = fence !== null
    if (mark && fence === null) fence = mark
    else if (mark && fence !== null && mark.startsWith(fence)) fence = null
    if (element === null && !wasInFence && opening.test(line)) {
      flush()
      element = []
    }
    if (element === null) {
      text.push(line)
      continue
    }
    const end = wasInFence ? -1 : line.indexOf(closing)
    element.push(end < 0 ? line : line.slice(0, end))
    if (end < 0) continue
    addElement(parts, element.join('\n'))
    element = null
    if (line.length > end + closing.length) text.push(line.slice(end + closing.length))
  }
  if (element !== null) {
    // The answer was interrupted, and what follows the quoted lines may be its text.
    const from = element.findIndex((line, index) => index > 0 && !/^(?:&gt;|>|<summary>|\s*$)/.test(line))
    addElement(parts, element.slice(0, from < 0 ? undefined : from).join('\n'))
    if (from >= 0) addAll(text, element.slice(from))
  }
  flush()
}

const attributes = /\b([a-z_]+)="([^"]*)"/g

function addElement(parts: TurnParts, element: string): void {
  const head = element.slice(0, element.indexOf('>') + 1)
  const found = new Map([...head.matchAll(attributes)].map(([, name = '', value = '']) => [name, unescaped(value)]))
  const inner = element.slice(head.length)
  const summaryEnd = inner.indexOf('</summary>')
  const body = inner.slice(summaryEnd < 0 ? 0 : summaryEnd + '</summary>'.length).trim()
  switch (found.get('type')) {
    case 'reasoning':
      parts.thoughts.push(withoutQuotes(unescaped(body)))
      return
    case 'tool_calls':
      addToolCall(parts, found.get('name') ?? '', found.get('arguments') ?? '')
      addToolResult(parts, found.get('name') ?? '', found.get('result') ?? '')
      addImages(parts, found.get('files') ?? '')
      return
    default:
      parts.texts.push(body)
      addOutput(parts, found.get('output') ?? '')
  }
}

/** What code has printed. */
function addOutput(parts: TurnParts, output: unknown): void {
  const parsed = typeof output === 'string' ? (parsedJson(output) ?? output) : output
  const printed = isRecord(parsed) ? [parsed.stdout, parsed.stderr, parsed.result].map(textIn) : [textIn(parsed)]
  const text = joinedTexts(printed.map((each) => each.replace(/\n$/, '')))
  if (text !== '') parts.texts.push(fenced(text))
}

function addImages(parts: TurnParts, files: string): void {
  const parsed = parsedJson(files)
  for (const each of Array.isArray(parsed) ? parsed : []) {
    const url = isRecord(each) ? textIn(each.url) : textIn(each)
    if (url.startsWith('data:image/')) parts.files.push({ kind: 'inline', url, name: 'image' })
  }
}

const withoutQuotes = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/^> ?/, ''))
    .join('\n')
    .trim()

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'", '#39': "'", '#x2F': '/' }
const unescaped = (text: string): string => text.replace(/&(amp|lt|gt|quot|#x27|#39|#x2F);/g, (all, name: string) => entities[name] ?? all)
