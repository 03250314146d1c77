/**
 * The input of a tool call as a JSON object. Models and their servers write a few unambiguous mistakes around a whole object, which are mended here. Any
 * other input stays as it is, so that the model learns of its mistake; a cut input is never completed.
 */
import { isRecord } from '../../contract/is-record.ts'
import { parsedJson } from '../../contract/parsed-json.ts'

export function readableInput(written: string): string {
  const value = parsedJson(written)
  // A call without arguments.
  if (value === null) return '{}'
  // An object that was encoded twice.
  if (typeof value === 'string') return isRecord(parsedJson(value)) ? value : written
  if (value !== undefined) return written
  const mended = withSoundEscapes(withoutFrame(written))
  return isRecord(parsedJson(mended)) ? mended : written
}

/** Without the fence of a code block, marks of the chat template at the end, and an empty object before the object. */
function withoutFrame(written: string): string {
  let text = written.trim()
  while (text.endsWith('|>')) {
    const start = text.lastIndexOf('<|')
    if (start === -1) break
    text = text.slice(0, start).trimEnd()
  }
  if (text.startsWith('```') && text.endsWith('```') && text.includes('\n')) text = text.slice(text.indexOf('\n'), -3)
  return text.replace(/^\s*\{\s*\}(?=\s*\{)/, '')
}

const controls: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** White space that is escaped outside of texts, or not escaped inside of them. */
function withSoundEscapes(json: string): string {
  const parts: string[] = []
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const mark = json.charAt(at)
    if (mark === '"') isText = !isText
    if (mark === '\\') {
      const pair = json.slice(at, at + 2)
      parts.push(isText || !/^\\[nrt]$/.test(pair) ? pair : ' ')
      at += 1
    } else parts.push(isText ? (controls[mark] ?? mark) : mark)
  }
  return parts.join('')
}
