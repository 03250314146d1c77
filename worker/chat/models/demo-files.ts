/** What the demo model sees of a message with files: it reads none of them, and says which there were. */
import { isQuotedUntrusted } from '../tools/untrusted.ts'
import type { CallOptions } from './vendor-model.ts'

type Message = CallOptions['prompt'][number]

/** What the person wrote themselves. */
export const ownTextOf = ({ content }: Message): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' && !isQuotedUntrusted(part.text) ? [part.text] : [])).join('\n\n')

/** A sentence about them; empty when there are none. */
export function demoFiles({ role, content }: Message): string {
  if (role !== 'user') return ''
  const names = content.flatMap((part) => {
    if (part.type === 'file') return [`${part.filename ?? 'a file'} (${part.mediaType})`]
    return isQuotedUntrusted(part.text) ? [`${/“(.*?)”/.exec(part.text)?.[1] ?? 'a text'} (text)`] : []
  })
  return names.length === 0 ? '' : `You attached ${names.join(', ')}. A connected model would read ${names.length === 1 ? 'it' : 'them'}.`
}
