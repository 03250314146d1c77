/**
 * The marks in answers of ChatGPT: a kind and its arguments between private-use characters, and the older 【1†source】. A mark becomes the text or
 * the links of its reference in the metadata of the message, or else the readable part of its arguments.
 */
import * as z from 'zod/mini'
import { isRecord } from '../../../../../worker/contract/is-record.ts'
import { parsedJson } from '../../../../../worker/contract/parsed-json.ts'
import { idField, listOrEmpty, textOrEmpty } from './fields.ts'
import { link } from './markdown-blocks.ts'
import { allTexts, sourceLinks, textIn } from './turn-parts.ts'

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
export function withoutMarks(
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
