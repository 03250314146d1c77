/** A conversation of ChatGPT's export: `mapping` has the nodes of a tree by id. Calls of tools are steps of an answer. */
import * as z from 'zod/mini'
import { isRecord } from '../../../../../worker/contract/is-record.ts'
import { parsedJson } from '../../../../../worker/contract/parsed-json.ts'
import { flag, idField, listOrEmpty, modelNamed, nodesOf, textOrEmpty, textOrNull, timeMs } from './fields.ts'
import { emptyMessage, type SourceMessage, type SourceThread } from './source-thread.ts'
import {
  addAll,
  addToolCall,
  addToolResult,
  allTexts,
  codeSpan,
  contentOf,
  diff,
  emptyParts,
  fenced,
  hasText,
  joinedTexts,
  link,
  sourceLinks,
  type TurnParts,
  textIn,
} from './turn-parts.ts'

const contentSchema = z.looseObject({ content_type: textOrEmpty, parts: listOrEmpty, text: textOrEmpty, language: textOrEmpty })
const metadataSchema = z.object({
  model_slug: z.optional(textOrNull),
  default_model_slug: z.optional(textOrNull),
  is_visually_hidden_from_conversation: z.optional(flag),
  attachments: listOrEmpty,
  content_references: listOrEmpty,
  citations: listOrEmpty,
  aggregate_result: z.optional(z.unknown()),
})
const messageSchema = z.object({
  author: z.object({ role: z.string(), name: z.optional(textOrNull) }),
  content: z.catch(contentSchema, { content_type: '', parts: [], text: '', language: '' }),
  create_time: z.optional(z.unknown()),
  recipient: z.catch(z.string(), 'all'),
  metadata: z.catch(metadataSchema, { attachments: [], content_references: [], citations: [] }),
})
type Message = z.infer<typeof messageSchema>

export const chatGptSchema = z.object({
  mapping: z.record(z.string(), z.unknown()),
  conversation_id: z.optional(idField),
  id: z.optional(idField),
  title: textOrNull,
  create_time: z.optional(z.unknown()),
  update_time: z.optional(z.unknown()),
  current_node: textOrNull,
  is_archived: flag,
  default_model_slug: z.optional(textOrNull),
})

export function fromChatGpt(conversation: z.infer<typeof chatGptSchema>, fallbackId: string): SourceThread {
  const { mapping, title, create_time, update_time, current_node, is_archived, default_model_slug } = conversation
  return {
    id: conversation.conversation_id ?? conversation.id ?? fallbackId,
    title,
    createdAtMs: timeMs(create_time),
    updatedAtMs: timeMs(update_time),
    headId: current_node,
    isArchived: is_archived,
    messages: nodesOf(mapping).map(({ id, parentId, stored }) => messageOf(id, parentId, stored, default_model_slug)),
  }
}

function messageOf(id: string, parentId: string | null, stored: unknown, threadModel: string | null | undefined): SourceMessage {
  // The root.
  if (stored === null || stored === undefined) return emptyMessage(id, parentId)
  const read = messageSchema.safeParse(stored)
  if (!read.success) return emptyMessage(id, parentId, ['damaged'])
  const { author, content, create_time, metadata } = read.data
  const role = author.role === 'user' ? 'user' : 'assistant'
  const isHidden =
    metadata.is_visually_hidden_from_conversation === true || author.role === 'system' || instructions.has(content.content_type)
  const model = modelNamed(metadata.model_slug ?? metadata.default_model_slug ?? threadModel)
  const { placeholder, ...found } = contentOf(isHidden ? hiddenParts(read.data) : partsOf(read.data, role), role, model)
  return {
    ...{ id, parentId, createdAtMs: timeMs(create_time) },
    ...found,
    ...(!isHidden && author.role !== 'tool' ? { placeholder } : {}),
  }
}

/** Custom instructions and memories, which each conversation repeats. */
const instructions: ReadonlySet<string> = new Set(['user_editable_context', 'model_editable_context'])

function hiddenParts({ content: { content_type: _, language: __, ...content } }: Message): TurnParts {
  const parts = emptyParts()
  if (hasText(content)) parts.problems.add('hidden_text')
  return parts
}

function partsOf(message: Message, role: SourceMessage['role']): TurnParts {
  const { author, content, recipient, metadata } = message
  const parts = emptyParts()
  const tool = author.name ?? ''
  switch (content.content_type) {
    case 'thoughts':
      for (const thought of Array.isArray(content.thoughts) ? content.thoughts : []) addThought(parts, thought)
      return parts
    case 'reasoning_recap':
      parts.thoughts.push(textIn(content.content))
      return parts
    case 'system_error':
      parts.texts.push([textIn(content.name), content.text].filter(Boolean).join(': '))
      return parts
    case 'execution_output':
      if (content.text.trim() !== '') parts.texts.push(fenced(content.text))
      // Diagrams that the code has drawn.
      for (const each of allTexts(metadata.aggregate_result)) addImage(parts, assetId(each), undefined)
      return parts
  }
  const attachments = metadata.attachments.flatMap((each) => attachmentSchema.safeParse(each).data ?? [])
  const names = new Map(attachments.map(({ id, name }) => [id, name]))
  const written: string[] = []
  for (const part of content.parts) addPart(parts, part, names, written)
  if (content.text !== '') written.push(content.text)
  if (written.length === 0 && content.parts.length === 0) addUnknown(parts, content, written)
  const text = joinedTexts(written)
  if (author.role !== 'tool') addAll(parts.texts, fileNames(parts, attachments))
  if (author.role === 'tool') addToolResult(parts, tool, text)
  else if (role === 'assistant' && recipient !== 'all') addCall(parts, recipient, text, content)
  else if (content.content_type === 'code') parts.texts.push(text && fenced(text, languageOf(content.language)))
  else if (role === 'user') parts.texts.push(text)
  else {
    const readable = withoutMarks(text, metadata.content_references, metadata.citations)
    if (readable.hasMissing) parts.problems.add('sources_missing')
    parts.texts.push(readable.text.trim())
  }
  return parts
}

const languageOf = (language: string): string => (language === 'unknown' ? '' : language)

const thoughtSchema = z.object({ summary: textOrEmpty, content: textOrEmpty })

function addThought(parts: TurnParts, stored: unknown): void {
  const { summary = '', content = '' } = thoughtSchema.safeParse(stored).data ?? {}
  if (summary.trim() !== '' && !content.startsWith(summary)) parts.thoughts.push(`**${summary.trim()}**`)
  parts.thoughts.push(content)
}

const attachmentSchema = z.object({ id: textOrEmpty, name: z.string().check(z.minLength(1)) })
const imagePart = z.object({ content_type: z.literal('image_asset_pointer'), asset_pointer: z.string() })
/** Recordings have their words in a part of their own. */
const recording = z.object({ content_type: z.enum(['audio_asset_pointer', 'real_time_user_audio_video_asset_pointer']) })
/** For example a spoken message: `audio_transcription`. */
const textPart = z.object({ text: z.string() })

function addPart(parts: TurnParts, part: unknown, names: ReadonlyMap<string, string>, written: string[]): void {
  if (typeof part === 'string' || typeof part === 'number') written.push(String(part))
  else if (recording.safeParse(part).success) parts.problems.add('file_left_out')
  else if (imagePart.safeParse(part).success) {
    const pointer = imagePart.parse(part).asset_pointer
    const id = assetId(pointer) ?? pointer
    addImage(parts, id, names.get(id))
  } else if (textPart.safeParse(part).success) written.push(textPart.parse(part).text)
  else addUnknown(parts, part, written)
}

/** `file-service://file-…` and `sediment://file_…`. */
const assetId = (pointer: string): string | undefined => /^[a-z-]+:\/\/(file[-_][A-Za-z0-9]+)/.exec(pointer)?.[1]

function addImage({ files }: TurnParts, id: string | undefined, name: string | undefined): void {
  if (id !== undefined && files.every((file) => file.kind !== 'archived' || file.id !== id)) files.push({ kind: 'archived', id, name })
}

/** Content of a kind that is not known keeps its texts. */
function addUnknown(parts: TurnParts, stored: unknown, written: string[]): void {
  const { content_type: _, language: __, ...fields } = isRecord(stored) ? stored : {}
  const texts = allTexts(fields).filter((text) => text.trim() !== '')
  addAll(written, texts)
  if (texts.length === 0 && Object.values(fields).some((value) => value !== null && !Array.isArray(value) && value !== ''))
    parts.problems.add('unknown_content')
}

/** Names of the uploaded files that are no images of the message. */
function fileNames(parts: TurnParts, attachments: readonly z.infer<typeof attachmentSchema>[]): readonly string[] {
  const images = new Set(parts.files.flatMap((file) => (file.kind === 'archived' ? [file.id] : [])))
  const others = attachments.flatMap(({ id, name }) => (images.has(id) ? [] : [`[${name}]`]))
  if (others.length > 0) parts.problems.add('file_left_out')
  return others
}

function addCall(parts: TurnParts, recipient: string, text: string, { language }: Message['content']): void {
  if (text.trim() === '') parts.tools.add(recipient)
  else if (recipient.startsWith('canmore.')) addCanvas(parts, recipient, text)
  else if (recipient.startsWith('python')) {
    parts.tools.add(recipient)
    parts.texts.push(fenced(text, languageOf(language) || 'python'))
  } else addToolCall(parts, recipient, text)
}

const updates = z.object({ updates: z.array(z.object({ pattern: z.string(), replacement: z.string() })) })
const comments = z.object({ comments: z.array(z.object({ pattern: textOrEmpty, comment: z.string() })) })

/** The documents that were next to the conversation. */
function addCanvas(parts: TurnParts, recipient: string, text: string): void {
  const input = parsedJson(text)
  const [updated, commented] = [updates.safeParse(input), comments.safeParse(input)]
  parts.tools.add(recipient)
  if (updated.success)
    // The pattern of a whole document.
    for (const { pattern, replacement } of updated.data.updates)
      parts.texts.push(pattern === '.*' ? fenced(replacement) : diff(pattern, replacement))
  else if (commented.success)
    for (const { pattern, comment } of commented.data.comments)
      parts.texts.push([pattern && `${codeSpan(pattern)}:`, comment].filter(Boolean).join(' '))
  else if (isRecord(input)) addToolCall(parts, recipient, input)
  else parts.texts.push(fenced(text))
}

/**
 * The marks in answers of ChatGPT: a kind and its arguments between private-use characters, and the older 【1†source】. A mark becomes the text or
 * the links of its reference in the metadata of the message, or else the readable part of its arguments.
 */

/** A mark contains no start of another one, so the time is linear in the length of the text. */
const marks = /\uE200([^\uE200\uE201]*)\uE201|【(\d+)(?::\d+)?†([^【】]*)】|[\uE200-\uE20F]/gu

const referenceSchema = z.looseObject({
  matched_text: idField,
  alt: textOrEmpty,
  items: listOrEmpty,
  fallback_items: listOrEmpty,
  sources: listOrEmpty,
})
type Reference = z.infer<typeof referenceSchema>

const citationSchema = z.object({
  metadata: z.object({ url: z.string(), title: textOrEmpty, extra: z.object({ cited_message_idx: z.number() }) }),
})

/** `hasMissing`: a mark had no readable part, for example the number of a search result. */
function withoutMarks(
  text: string,
  references: readonly unknown[],
  citations: readonly unknown[],
): { readonly text: string; readonly hasMissing: boolean } {
  const byText = new Map<string, Reference>()
  for (const each of references) {
    const read = referenceSchema.safeParse(each)
    if (read.success) byText.set(read.data.matched_text, read.data)
  }
  const cited = new Map<string, string>()
  for (const each of citations) {
    const read = citationSchema.safeParse(each)
    if (read.success) cited.set(String(read.data.metadata.extra.cited_message_idx), sourceLinks([read.data.metadata]))
  }
  let hasMissing = false
  /** By mark, because an answer can repeat a mark with a long list of sources. */
  const readableMarks = new Map<string, string>()
  const readable = text.replaceAll(marks, (mark, inner: string | undefined, index: string | undefined, named: string | undefined) => {
    // The start or end of a mark without the other one, and the ends of highlighted stretches.
    if (inner === undefined && index === undefined) return ''
    const found =
      readableMarks.get(mark) ??
      (referenced(byText.get(mark), inner) || cited.get(index ?? '') || (isPosition(named ?? '') ? '' : `(${named})`) || argumentsIn(inner))
    readableMarks.set(mark, found)
    if (found === '') hasMissing = true
    return found
  })
  return { text: readable, hasMissing }
}

function referenced(reference: Reference | undefined, inner: string | undefined): string {
  if (!reference) return ''
  const { alt, items, fallback_items, sources } = reference
  // `alt` is what ChatGPT copies to the clipboard.
  if (alt.trim() !== '' && !/[\uE200-\uE20F]/.test(alt)) return alt
  const links = sourceLinks([
    ...(items.length > 0 ? items : fallback_items),
    ...sources,
    reference.item,
    ...(textIn(reference.url) ? [reference] : []),
  ])
  const named = argumentsIn(inner) || textIn(reference.title) || textIn(reference.name)
  return links.includes(`[${named}]`) ? links : [named, links].filter(Boolean).join(' ')
}

/** Lines of a source. */
const isPosition = (text: string): boolean => /^(?:source|L\d+(?:-L?\d+)?)?$/.test(text)

/** Numbers of search results and the like. */
const isResultId = (text: string): boolean => /^(?:turn\d+[a-z_]+\d+)*$/.test(text) || isPosition(text)

/** Fields that have the words of a mark. Others have its layout. */
const words = ['name', 'title', 'text', 'label', 'alt', 'query', 'queries', 'prompt', 'content', 'selections']

function argumentsIn(inner: string | undefined): string {
  const [kind, ...texts] = (inner ?? '').split('\uE202')
  const values = texts.map((text) => parsedJson(text) ?? text)
  const [first, second] = values
  if (kind === 'entity' && Array.isArray(first)) return textIn(first[1]) || readable(first)
  if (kind === 'url' && typeof first === 'string')
    return link(isResultId(first) ? '' : first, isResultId(textIn(second)) ? '' : textIn(second))
  return readable(values)
}

function readable(values: readonly unknown[]): string {
  const found = values.flatMap((value) => {
    const inWords = isRecord(value) ? words.flatMap((field) => allTexts(value[field])) : []
    return inWords.length > 0 ? inWords : allTexts(value)
  })
  return [...new Set(found.filter((text) => text.trim() !== '' && !isResultId(text)))].join(', ')
}
