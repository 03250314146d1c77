/** A conversation of DeepSeek's export: a tree as in ChatGPT's, whose messages are lists of fragments. It names no shown branch. */
import * as z from 'zod/mini'
import { idField, listOrEmpty, modelNamed, nodesOf, textOrEmpty, textOrNull, timeMs } from './fields.ts'
import { emptyMessage, type SourceMessage, type SourceThread } from './source-thread.ts'
import {
  addAll,
  addAttachment,
  addToolResult,
  allTexts,
  contentOf,
  emptyParts,
  readPart,
  sourceLinks,
  type TurnParts,
} from './turn-parts.ts'

const messageSchema = z.looseObject({
  model: z.optional(textOrNull),
  inserted_at: z.optional(z.unknown()),
  role: textOrEmpty,
  fragments: listOrEmpty,
  files: listOrEmpty,
  /** Exports before the fragments. */
  content: textOrEmpty,
  reasoning_content: textOrEmpty,
  search_results: listOrEmpty,
})
type Message = z.infer<typeof messageSchema>

export const deepSeekSchema = z.object({
  mapping: z.record(z.string(), z.unknown()),
  id: z.optional(idField),
  title: z.optional(textOrNull),
  inserted_at: z.optional(z.unknown()),
  updated_at: z.optional(z.unknown()),
})

export function fromDeepSeek(conversation: z.infer<typeof deepSeekSchema>, fallbackId: string): SourceThread {
  const messages: SourceMessage[] = []
  const roles = new Map<string, SourceMessage['role']>()
  for (const { id, parentId, stored } of nodesOf(conversation.mapping)) {
    const read = messageSchema.safeParse(stored)
    if (stored === null || stored === undefined) messages.push(emptyMessage(id, parentId))
    else if (!read.success) messages.push(emptyMessage(id, parentId, ['damaged']))
    else {
      // Without fragments, questions and answers alternate. Parents come before their children.
      const role = roleIn(read.data) ?? (roles.get(parentId ?? '') === 'user' ? 'assistant' : 'user')
      roles.set(id, role)
      messages.push({
        ...{ id, parentId, createdAtMs: timeMs(read.data.inserted_at) },
        ...contentOf(partsOf(read.data), role, modelNamed(read.data.model) ?? modelNamed('DeepSeek')),
      })
    }
  }
  return {
    id: conversation.id ?? fallbackId,
    title: conversation.title ?? null,
    createdAtMs: timeMs(conversation.inserted_at),
    updatedAtMs: timeMs(conversation.updated_at),
    headId: null,
    messages,
  }
}

const fragmentSchema = z.looseObject({ type: textOrEmpty, content: textOrEmpty, results: listOrEmpty })

function roleIn({ role, fragments }: Message): SourceMessage['role'] | undefined {
  if (/^user$/i.test(role)) return 'user'
  if (/^assistant$/i.test(role)) return 'assistant'
  if (fragments.length === 0) return undefined
  return fragments.some((each) => fragmentSchema.safeParse(each).data?.type === 'REQUEST') ? 'user' : 'assistant'
}

const fileSchema = z.object({ file_name: textOrEmpty, name: textOrEmpty, content: textOrEmpty })

function partsOf({ fragments, files, content, reasoning_content, search_results }: Message): TurnParts {
  const parts = emptyParts()
  for (const each of files) {
    const { file_name = '', name = '', content: text = '' } = fileSchema.safeParse(each).data ?? {}
    addAttachment(parts, file_name || name || (typeof each === 'string' ? each : 'file'), text)
  }
  parts.thoughts.push(reasoning_content)
  if (content !== '') parts.texts.push(content)
  const found: unknown[] = [...search_results]
  for (const each of fragments) {
    const fragment = readPart(parts, fragmentSchema, each)
    if (!fragment) continue
    const { type, content: text, results } = fragment
    if (type === 'REQUEST' || type === 'RESPONSE') parts.texts.push(text)
    else if (type === 'THINK') parts.thoughts.push(text)
    else {
      // SEARCH and its successors: the query, if any, and the results.
      parts.tools.add(type.toLowerCase())
      parts.thoughts.push(text)
      addAll(found, results)
      if (text === '' && results.length === 0) addToolResult(parts, '', allTexts({ ...fragment, type: '' }))
    }
  }
  if (found.length > 0) {
    parts.thoughts.push(sourceLinks(found))
    addToolResult(
      parts,
      '',
      found.map((each) => snippetSchema.safeParse(each).data?.snippet ?? ''),
    )
  }
  return parts
}

/** The text of a result. The import keeps only the link. */
const snippetSchema = z.object({ snippet: z.string() })
