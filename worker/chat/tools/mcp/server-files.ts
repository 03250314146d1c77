/** Turns resources and prompts that a server sent into files and text. The page checks each file as one that the user chose. */
import type { BlobResourceContents, GetPromptResult, ReadResourceResult, TextResourceContents } from '@modelcontextprotocol/client'
import { signatureBytes, typeOf } from '../../../contract/files/file-signature.ts'
import { cleanFileName } from '../../../contract/files/files.ts'
import { endingOf } from '../../../contract/files/made-files.ts'
import type { ServerFile, ServerParts } from '../../../contract/http.ts'
import { maxFilesPerMessage, maxMessageChars, maxNamedLeftOut, maxPromptLinks } from '../../../contract/limits.ts'
import { visibleText } from '../../../contract/visible-text.ts'
import { ServerFailure } from './server-failure.ts'
import { isUsableAddress, titleOf } from './server-offer.ts'

/** `title`: of the resource, for contents whose address has no name. */
export function filesOfResource({ contents }: ReadResourceResult, title: string): ServerParts {
  const parts = new Parts()
  for (const content of contents) parts.addContents(content, title)
  return parts.done('')
}

/**
 * The texts of all messages, and their other parts as files. Linked resources are read with `read`; the first `maxPromptLinks` ones, each once. A link
 * that cannot be read is left out and named.
 */
export async function partsOfPrompt(
  { messages }: GetPromptResult,
  title: string,
  read: (uri: string) => Promise<ReadResourceResult>,
): Promise<ServerParts> {
  const parts = new Parts()
  const links = new Set<string>()
  const texts: string[] = []
  for (const { content } of messages) {
    if (content.type === 'text') texts.push(visibleText(content.text))
    else if (content.type === 'image') parts.addData(title, content.mimeType, content.data)
    else if (content.type === 'resource') parts.addContents(content.resource, title)
    else if (content.type === 'resource_link') {
      const { uri, name } = content
      const linked = content.title ?? name
      if (links.has(uri)) continue
      const mayRead = links.size < maxPromptLinks && isUsableAddress(uri) && !parts.isFull
      const found = mayRead ? await read(uri).catch(() => null) : null
      links.add(uri)
      if (found) for (const one of found.contents) parts.addContents(one, linked)
      else parts.leave(linked)
    } else parts.leave(content.mimeType)
  }
  const text = texts.join('\n\n')
  // A cut text could say the opposite.
  if (text.length > maxMessageChars) throw new ServerFailure('too_large')
  return parts.done(text)
}

class Parts {
  readonly #files: ServerFile[] = []
  readonly #names: string[] = []
  #left = 0

  get isFull(): boolean {
    return this.#files.length === maxFilesPerMessage
  }

  addContents(content: TextResourceContents | BlobResourceContents, title: string): void {
    const { uri, mimeType } = content
    const name = nameIn(uri) ?? title
    if ('text' in content) this.#add({ name: withEnding(name, textEnding(mimeType)), text: visibleText(content.text) })
    else this.addData(name, mimeType, content.blob)
  }

  addData(name: string, mediaType: string | undefined, data: string): void {
    const head = headOf(data)
    if (head === null) this.leave(name)
    // The bytes decide, because a server can name any type.
    else this.#add({ name: withEnding(name, endingOf(typeOf(head) ?? mediaType ?? '')), data })
  }

  leave(name: string): void {
    this.#left += 1
    if (this.#names.length < maxNamedLeftOut) this.#names.push(titleOf(name))
  }

  done(text: string): ServerParts {
    return { text, files: this.#files, left: { count: this.#left, names: this.#names } }
  }

  #add(file: ServerFile): void {
    if (this.#files.length < maxFilesPerMessage) this.#files.push(file)
    else this.leave(file.name)
  }
}

/** The first bytes. Null for a text that is empty or not base64. */
export function headOf(data: string): Uint8Array | null {
  if (data === '' || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return null
  return Uint8Array.from(atob(data.slice(0, 4 * Math.ceil(signatureBytes / 3))), (character) => character.charCodeAt(0))
}

/** The last segment of an address. */
function nameIn(uri: string): string | null {
  try {
    return decodeURIComponent(URL.parse(uri)?.pathname.split('/').at(-1) ?? '').trim() || null
  } catch {
    return null
  }
}

const hasEnding = /\.[^.\s]{1,10}$/

const withEnding = (name: string, ending: string): string => cleanFileName(hasEnding.test(name) ? name : `${name}.${ending}`)

function textEnding(mediaType: string | undefined): string {
  const ending = endingOf(mediaType ?? 'text/plain')
  return ending === 'bin' ? 'txt' : ending
}
