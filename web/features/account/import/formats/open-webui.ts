/** A chat of Open WebUI's export: `chat.history` has the messages of a tree by id. Images are data URLs. */
import * as z from 'zod/mini'
import { isRecord } from '../../../../../worker/contract/is-record.ts'
import { flag, idField, listOrEmpty, modelNamed, textOrEmpty, textOrNull, timeMs } from './fields.ts'
import { fenced } from './markdown-blocks.ts'
import { addOutput, addWithDetails } from './open-webui-details.ts'
import type { ProblemReason } from './problem.ts'
import { emptyMessage, type SourceMessage, type SourceThread } from './source-thread.ts'
import {
  addAttachment,
  addToolCall,
  addToolResult,
  allTexts,
  contentOf,
  emptyParts,
  joinedTexts,
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
  if (notShown) return { ...at, role: 'assistant', text: '', problems: joinedTexts(allTexts(content)) === '' ? [] : [notShown] }
  const role = storedRole === 'user' ? 'user' : 'assistant'
  return {
    ...at,
    role,
    ...contentOf(partsOf(read.data), role),
    model: role === 'user' ? undefined : (modelNamed(modelName) ?? modelNamed(model) ?? modelNamed(threadModel)),
  }
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
  parts.texts.push(...inOutput.texts.filter(isMissing))
  parts.thoughts.push(...inOutput.thoughts.filter(isMissing))
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
  const read = fileSchema.safeParse(stored)
  if (!read.success) {
    parts.problems.add('unknown_content')
    return
  }
  const { type, url, name, content, content_type, file } = read.data
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
  const read = itemSchema.safeParse(stored)
  if (!read.success) {
    parts.problems.add('unknown_content')
    return
  }
  const { type, name, content, summary, code, lang, output, arguments: called } = read.data
  switch (type) {
    case 'message':
      parts.texts.push(...itemTexts(content))
      if (joinedTexts(itemTexts(content)) === '' && Array.isArray(content) && content.length > 0) parts.problems.add('unknown_content')
      return
    case 'reasoning':
      parts.thoughts.push(...itemTexts(content), ...itemTexts(summary))
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
  const texts = [...itemTexts(content), ...itemTexts(read.data.text)]
  parts.texts.push(...texts)
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
  const read = executionSchema.safeParse(stored)
  if (!read.success) {
    parts.problems.add('unknown_content')
    return
  }
  const { code, language, result } = read.data
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
  if (found.some(({ document }) => joinedTexts(allTexts(document)) !== '')) parts.problems.add('tool_results')
}
