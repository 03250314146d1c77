/**
 * Open WebUI stores reasoning, calls of tools and code in the text of an answer, as `<details>` elements that begin a line. They count outside of
 * code blocks only, as in its own parser.
 */
import { isRecord } from '../../../../../worker/contract/is-record.ts'
import { parsedJson } from '../../../../../worker/contract/parsed-json.ts'
import { fenced } from './markdown-blocks.ts'
import { addToolCall, addToolResult, joinedTexts, type TurnParts, textIn } from './turn-parts.ts'

const opening = /^<details\b[^>]*\stype="(?:reasoning|tool_calls|code_interpreter)"/
const closing = '</details>'
const fenceMark = /^ {0,3}(`{3,}|~{3,})/

export function addWithDetails(parts: TurnParts, content: string): void {
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
    if (from >= 0) text.push(...element.slice(from))
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
export function addOutput(parts: TurnParts, output: unknown): void {
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
