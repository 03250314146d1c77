/** Turns the results of calls into bounded values. Everything is parsed; nothing is trusted. */
import type { CallToolResult, Progress } from '@modelcontextprotocol/client'
import { typeOf } from '../../../contract/files/file-signature.ts'
import { isRecord } from '../../../contract/is-record.ts'
import { maxProgressMessageChars, maxResultChars, maxResultImageBytes, maxResultImages, maxResultLinks } from '../../../contract/limits.ts'
import { parsedJson } from '../../../contract/parsed-json.ts'
import { cutAt } from '../../../contract/text.ts'
import type { ToolProgress } from '../../../contract/threads/messages.ts'
import type { ServerContent, ServerToolOutput } from '../../../contract/tools/server-output.ts'
import { oneLine, visibleText } from '../../../contract/visible-text.ts'
import { headOf } from './server-files.ts'
import { titleOf } from './server-offer.ts'

/** Chosen: browsers open addresses of this length. */
const maxLinkChars = 2000

/** By its first bytes: a provider refuses the whole request for an image of another type than its name says. */
function imageTypeOf(base64: string): string | null {
  const head = headOf(base64)
  const type = head && typeOf(head)
  return type?.startsWith('image/') ? type : null
}

export function outputOf({
  content,
  structuredContent,
  isError,
}: Pick<CallToolResult, 'content' | 'structuredContent' | 'isError'>): ServerToolOutput {
  const shown: ServerContent[] = []
  let chars = maxResultChars
  let isCut = false
  const addText = (text: string): void => {
    const visible = visibleText(text).toWellFormed()
    const cut = cutAt(visible, chars)
    chars -= cut.length
    if (cut.length < visible.length) isCut = true
    if (cut !== '') shown.push({ type: 'text', text: cut })
  }
  const count = (type: ServerContent['type']): number => shown.filter((part) => part.type === type).length
  const addImage = (data: string): void => {
    const mediaType = data.length <= (maxResultImageBytes * 4) / 3 ? imageTypeOf(data) : null
    if (mediaType !== null && count('image') < maxResultImages) shown.push({ type: 'image', mediaType, data })
    else isCut = true
  }
  const addLink = (address: string, title: string): void => {
    const url = URL.parse(address)
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:') addText(`${title} (${address})`)
    else if (count('link') < maxResultLinks && url.href.length <= maxLinkChars)
      shown.push({ type: 'link', url: url.href, title: titleOf(title) || url.hostname })
    else isCut = true
  }
  for (const part of content) {
    if (part.type === 'text') addText(part.text)
    else if (part.type === 'image') addImage(part.data)
    else if (part.type === 'resource_link') addLink(part.uri, part.title ?? part.name)
    else if (part.type === 'resource' && 'text' in part.resource) addText(part.resource.text)
    else if (part.type === 'resource' && 'blob' in part.resource) addImage(part.resource.blob)
    else isCut = true
  }
  const data = structuredContent === undefined ? null : visibleJson(structuredContent)
  // Servers repeat structured content as text for older clients.
  const isRepeated = data !== null && shown.some((part) => part.type === 'text' && JSON.stringify(parsedJson(part.text)) === data)
  const hasData = data !== null && !isRepeated && data.length <= chars
  if (data !== null && !isRepeated && !hasData) isCut = true
  return {
    content: shown,
    ...(hasData && { data: JSON.parse(data) as unknown }),
    ...(isError === true && { isError }),
    ...(isCut && { isCut }),
  }
}

/** JSON whose texts and names have visible characters only. */
const visibleJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === 'string') return visibleText(inner)
    return isRecord(inner) ? Object.fromEntries(Object.entries(inner).map(([name, each]) => [visibleText(name), each])) : inner
  })

/** Null for a report that says nothing. */
export function progressOf({ progress, total, message }: Progress): ToolProgress | null {
  const text = cutAt(oneLine(message ?? '').toWellFormed(), maxProgressMessageChars)
  if (!Number.isFinite(progress)) return null
  const isBounded = total !== undefined && Number.isFinite(total) && total > 0
  return { progress, ...(isBounded && { total }), ...(text !== '' && { message: text }) }
}

/** The result for the model, as one text. */
export function textOfOutput({ content, data, isError, isCut }: ServerToolOutput): string {
  const parts = content.map((part) =>
    part.type === 'text' ? part.text : part.type === 'link' ? `${part.title}: ${part.url}` : '[An image, which the user sees.]',
  )
  if (data !== undefined) parts.push(JSON.stringify(data))
  if (isCut) parts.push('[More was sent; it was too large or of an unknown kind.]')
  return `${isError ? 'The tool reports that it failed.\n' : ''}${parts.join('\n\n') || 'The tool returned nothing.'}`
}
