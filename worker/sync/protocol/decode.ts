/** A frame as it came off the socket to a typed message, or why it is none. Pure. */
import { maxUpstreamBytes } from './limits.ts'
import { type UpMessage, type UpTag, upBodies } from './up.ts'

export type Decoded =
  | { readonly type: 'message'; readonly message: UpMessage }
  | { readonly type: 'too-large' }
  | { readonly type: 'invalid'; readonly reason: string }

export function decodeUp(frame: string | ArrayBuffer): Decoded {
  if (typeof frame !== 'string') return { type: 'invalid', reason: 'binary frames are not part of the protocol' }
  if (isLongerThan(frame, maxUpstreamBytes)) return { type: 'too-large' }
  const parsed = parse(frame)
  if (!Array.isArray(parsed) || parsed.length !== 2) return { type: 'invalid', reason: 'a message is a JSON array of a tag and a body' }
  const [tag, body] = parsed as [unknown, unknown]
  // Nothing else is repeated: it may be of any depth.
  if (!isUpTag(tag)) return { type: 'invalid', reason: `unknown message ${typeof tag === 'string' ? `"${tag.slice(0, 50)}"` : ''}` }
  const result = upBodies[tag].safeParse(body)
  // The body was checked by the schema that belongs to its tag.
  if (result.success) return { type: 'message', message: [tag, result.data] as UpMessage }
  const [issue] = result.error.issues
  return { type: 'invalid', reason: `${tag}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}` }
}

function isUpTag(tag: unknown): tag is UpTag {
  return typeof tag === 'string' && Object.hasOwn(upBodies, tag)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON is an answer here, the same as JSON of a wrong shape.
    return undefined
  }
}

/** In UTF-8 bytes; counted only when the characters alone cannot tell. */
function isLongerThan(text: string, bytes: number): boolean {
  if (text.length > bytes) return true
  return text.length * 3 > bytes && new TextEncoder().encode(text).byteLength > bytes
}
