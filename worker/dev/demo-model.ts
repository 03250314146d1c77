/**
 * The built-in model that answers if no provider is connected. It implements the AI SDK's model interface, so its answers pass through the
 * same code as a provider's. It identifies itself as a demo; `/demo …` (demo-script.ts) simulates failures.
 */
import {
  callsHeading,
  continueAfterFileRequest,
  continueAfterToolsRequest,
  continueRequest,
  memoryHeading,
  memoryInstructions,
  summaryInstructions,
} from '../chat/model/prompt.ts'
import type { CallOptions, ProviderModel, ProviderPart } from '../chat/model/types.ts'
import { materialHeading, notesRequest, planRequest } from '../chat/research/prompts.ts'
import { isQuotedUntrusted } from '../chat/tools/untrusted.ts'
import { readPageTool, searchTool } from '../contract/models/tools.ts'
import { withoutEnd } from '../contract/text.ts'
import {
  type DemoDirective,
  defaultDelayMs,
  demoAnswer,
  demoFacts,
  demoReasoning,
  demoTitle,
  parseDemoDirective,
  quote,
} from './demo-script.ts'
import { notesTool } from './stand-in-notes.ts'

export function demoModel(modelName: string): ProviderModel {
  return {
    specificationVersion: 'v4',
    provider: 'demo',
    modelId: 'demo',
    supportedUrls: {},
    doStream: async (options) => ({ stream: toStream(generate(modelName, options)) }),
    // Only titles and facts are requested without a stream.
    doGenerate: async ({ prompt }) => {
      const question = prompt.findLast(({ role }) => role === 'user')
      const isForMemory = prompt.some(({ role, content }) => role === 'system' && content === memoryInstructions)
      const write = isForMemory ? demoFacts : demoTitle
      const text = question ? write(ownTextOf(question)) : ''
      return { content: [{ type: 'text', text }], finishReason: done, usage, warnings: [] }
    },
  }
}

type Script = Omit<DemoDirective, 'chunks' | 'chars' | 'think' | 'files' | 'search' | 'read' | 'notes' | 'heldMs' | 'call' | 'say'> & {
  readonly reasoning: readonly string[]
  readonly text: readonly string[]
  readonly calls: readonly DemoToolCall[]
}

const done = { unified: 'stop', raw: 'stop' } as const
const toolsAsked = { unified: 'tool-calls', raw: 'tool_calls' } as const
const usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

async function* generate(modelName: string, options: CallOptions): AsyncGenerator<ProviderPart> {
  const { abortSignal } = options
  const { reasoning, text, calls, delayMs, draw, fail, silent } = scriptFor(modelName, options)
  yield { type: 'stream-start', warnings: [] }
  if (fail === 'start') throw Object.assign(new Error('the demo model fails on command'), { statusCode: 400 })
  if (silent === 'start') await forever(abortSignal)
  yield* block('reasoning', reasoning, delayMs, abortSignal)
  if (calls.length > 0) {
    for (const { toolName, input } of calls) {
      const toolCallId = crypto.randomUUID()
      if (delayMs > 0) await pause(delayMs, abortSignal)
      yield { type: 'tool-input-start', id: toolCallId, toolName }
      yield { type: 'tool-call', toolCallId, toolName, input: typeof input === 'string' ? input : JSON.stringify(input) }
    }
    yield { type: 'finish', finishReason: toolsAsked, usage }
    return
  }
  const half = Math.ceil(text.length / 2)
  if (text.length > 0) yield { type: 'text-start', id: 'text' }
  for (const [index, delta] of text.entries()) {
    if (index === half && fail) throw Object.assign(new Error('the demo model fails on command'), { statusCode: 400 })
    if (index === half && silent) await forever(abortSignal)
    if (delayMs > 0) await pause(delayMs, abortSignal)
    yield { type: 'text-delta', id: 'text', delta }
  }
  if (text.length > 0) yield { type: 'text-end', id: 'text' }
  if (draw !== null) yield demoPicture(draw)
  yield { type: 'finish', finishReason: done, usage }
}

async function* block(kind: 'reasoning', words: readonly string[], delayMs: number, signal?: AbortSignal): AsyncGenerator<ProviderPart> {
  if (words.length === 0) return
  yield { type: `${kind}-start`, id: kind }
  for (const delta of words) {
    if (delayMs > 0) await pause(delayMs, signal)
    yield { type: `${kind}-delta`, id: kind, delta }
  }
  yield { type: `${kind}-end`, id: kind }
}

/** A continuation starts at the end of the interrupted answer and does not repeat its failure. */
function scriptFor(modelName: string, options: CallOptions): Script {
  const messages = options.prompt.filter((message) => message.role === 'user' || message.role === 'assistant')
  const [asked, begun, request] = messages.slice(-3)
  const wanted = request ? ownTextOf(request) : ''
  // An image is the last part of a demo answer, so only a closing sentence follows.
  if (wanted === continueAfterFileRequest) return { ...noMishap, reasoning: [], text: inWords('That is all.'), calls: [] }
  if (asked && begun && (wanted === continueRequest || wanted === continueAfterToolsRequest)) {
    const whole = scriptOf(modelName, ownTextOf(asked), '', noTools)
    const answer = demoAnswerFrom(ownTextOf(asked)) ?? whole.text.join('')
    // The text before tool calls is not part of this answer, so the answer starts from the beginning.
    const before = answer.startsWith(ownTextOf(begun)) ? ownTextOf(begun).length : wanted === continueAfterToolsRequest ? 0 : answer.length
    const rest = answer.slice(before)
    if (rest !== '') return { ...whole, reasoning: [], text: inWords(rest), fail: null, silent: null }
  }
  const question = messages.findLast((message) => message.role === 'user')
  const system = options.prompt.find(({ role }) => role === 'system')
  if (question && system?.content === summaryInstructions) return { ...noMishap, reasoning: [], text: [demoSummary(question)], calls: [] }
  return scriptOf(modelName, question ? ownTextOf(question) : '', question ? demoFiles(question) : '', options)
}

const noTools: Pick<CallOptions, 'tools' | 'prompt'> = { prompt: [] }

/** `files`: the sentence about attached files. */
function scriptOf(
  modelName: string,
  question: string,
  files: string,
  options: Pick<CallOptions, 'tools' | 'toolChoice' | 'prompt'>,
): Script {
  const directive = parseDemoDirective(askedIn(question))
  const research = demoResearch(options, question, directive?.search ?? null)
  if (research !== null) return { ...(directive ?? noMishap), reasoning: [], text: inWords(research), calls: [] }
  const saved = question.split(`\n\n${callsHeading}`)[1]
  const { notes = [], heldMs = 0 } = directive ?? {}
  if (directive && notes.length > 0) {
    const reports = toolReports(options.prompt)
    const mayCall = saved === undefined && reports.length === 0 && options.tools?.some(({ name }) => name === notesTool)
    const calls = mayCall
      ? notes.map((title) => ({ toolName: notesTool, input: { title, text: `A note about ${title}.`, delayMs: heldMs } }))
      : []
    return {
      ...noMishap,
      delayMs: directive.delayMs,
      reasoning: [],
      text: inWords(directive.say ?? notesAnswer(saved ?? reports.map(({ text }) => text).join('\n'))),
      calls,
    }
  }
  if (directive?.call) {
    const { name, input } = directive.call
    const reports = toolReports(options.prompt)
    const found = saved ?? (reports.length > 0 ? reports.map(({ text }) => text).join('\n\n') : null)
    const names = options.tools?.map((tool) => tool.name) ?? []
    const toolName = names.find((each) => each === name || each.endsWith(`_${name}`))
    const calls = found === null && toolName !== undefined ? [{ toolName, input }] : []
    const text =
      found === null ? `There is no tool ${name}. The tools are: ${names.join(', ') || 'none'}.` : `The tool returned:\n\n${quote(found)}`
    return { ...noMishap, delayMs: directive.delayMs, reasoning: [], text: inWords(text), calls }
  }
  const calls = demoToolCalls(options, question, directive ?? { search: null, read: null })
  const withTools = demoToolAnswer(options.prompt)
  if (!directive) {
    const reasoning = withTools === null ? inWords(demoReasoning(question)) : []
    return { ...noMishap, reasoning, text: inWords(withTools ?? demoAnswer(question, files, modelName)), calls }
  }
  const { chunks, chars, think, delayMs, draw, fail, silent, say } = directive
  const usesTools = directive.search !== null || directive.read !== null
  if (directive.files) return { reasoning: [], text: inWords(files || 'There are no files.'), calls: [], delayMs, draw, fail, silent }
  const own = say === null ? numbered('word', chunks, chars) : inWords(say)
  const text = usesTools && withTools !== null ? inWords(withTools) : own
  return { reasoning: withTools === null ? numbered('thought', think) : [], text, calls, delayMs, draw, fail, silent }
}

/** The first words of every message of the user, and of the earlier summary. */
function demoSummary({ content }: Message): string {
  const text = typeof content === 'string' ? content : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  const said = [...text.matchAll(/^(?:User: |- )(.+)/gm)].map(([, words = '']) => `- ${words.slice(0, maxSummarizedChars)}`)
  return [...new Set(said)].slice(-maxSummarizedMessages).join('\n') || '- Nothing was said.'
}

const maxSummarizedChars = 120
const maxSummarizedMessages = 30

/** `saved`: what became of the calls. */
const notesAnswer = (saved: string): string => {
  const count = saved.match(/^Saved: /gm)?.length ?? 0
  return `The demo has saved ${count === 1 ? 'one note' : `${count} notes`}.`
}

const noMishap = { delayMs: defaultDelayMs, draw: null, fail: null, silent: null }

const numbered = (word: string, count: number, chars = 0): string[] =>
  Array.from({ length: count }, (_, index) => `${word}${index + 1}`.padEnd(chars, 'o').concat(' '))

/** One word with its following space at a time, similar to a model's chunks. */
const inWords = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? []

function toStream(parts: AsyncGenerator<ProviderPart>): ReadableStream<ProviderPart> {
  return new ReadableStream<ProviderPart>({
    async pull(controller) {
      const next = await parts.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel() {
      await parts.return(undefined)
    },
  })
}

function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, delayMs)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

const forever = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal?.aborted) reject(signal.reason)
    else signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

type Message = CallOptions['prompt'][number]

/** The user's own text, without material and file contents. */
const ownTextOf = ({ content }: Message): string => {
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap((part) => (part.type === 'text' && !isQuotedUntrusted(part.text) ? [part.text] : [])).join('\n\n')
  return text.split(`\n\n${memoryHeading}`)[0] ?? ''
}

/** A sentence about the attached files. Empty without files. */
function demoFiles({ role, content }: Message): string {
  if (role !== 'user') return ''
  const names = content.flatMap((part) => {
    if (part.type === 'file') return [`${part.filename ?? 'a file'} (${part.mediaType})`]
    return isQuotedUntrusted(part.text) ? [`${/“(.*?)”/.exec(part.text)?.[1] ?? 'a text'} (text)`] : []
  })
  return names.length === 0 ? '' : `You attached ${names.join(', ')}. A connected model would read ${names.length === 1 ? 'it' : 'them'}.`
}

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAUAAAAFAAgMAAACw/k05AAAADFBMVEW/1+byxG0/eIwsXHBv2zXsAAABKklEQVR42u3ZwW0DIRRFUbOYEtJPSmABTaZJZ5MotocdT/J3fG4BR4xAsvlcLpIkSZIkSXpWbc45e9hLivOnz5B3/IIjvMDUEo8/cIQXmFliuwUTG/1xC87wFye+ud2DPbnHmX2eM/vN7RHs1cDjERzRUxg4iSdvc1faGey1wOMMjvCebO5KHFx4e9ucBtsK7JXAYwWOSuDq1Gydm/rg0ts5iO8HtjXYgUAgEPjvQT+jAfAN/33V/0tc/1pR/2r2Atfb+I2+/hAjPrfJT5bis6/64774hDM/g41PieNz7PykPf4WEH+tyL+nxF988m9S8Vez/Lte/OVRkiRJklS8r3BAIBAIBAKBQCAQCAQCgUBgFfAaDggEAoFAIBAIBAKBQCAQCAQCgS8EfgPs0GiwqB/PHQAAAABJRU5ErkJggg=='

/** Image viewers ignore bytes after the end of a PNG, so padding reaches the requested size. */
function demoPicture(leastBytes: number): ProviderPart {
  const missing = Math.max(0, Math.ceil((leastBytes * 4) / 3 / 4) * 4 - png.length)
  const data = missing === 0 ? png : png.replace(/=+$/, (end) => 'A'.repeat(end.length)) + 'A'.repeat(missing)
  return { type: 'file', mediaType: 'image/png', data: { type: 'data', data } }
}

/**
 * Tool use of the demo model: it searches, reads the first result, and answers with citations. Its text comes from the tool results, so
 * that developers can verify the search.
 */
/** `input`: an object, or JSON. */
type DemoToolCall = { readonly toolName: string; readonly input: { readonly [name: string]: string | number } | string }

type Found = { readonly number: string; readonly title: string; readonly url: string; readonly text: string }

/** Results of the tools since the last user message. */
type ToolReport = { readonly toolName: string; readonly text: string; readonly isFailure: boolean }

const pagesRead = 2
const maxQueryChars = 200
const maxQuoteChars = 240

/** The tool calls of the next step, or none if the answer should follow. It searches on request: `requested` is that of a `/demo` message. */
function demoToolCalls(
  { tools, toolChoice, prompt }: Pick<CallOptions, 'tools' | 'toolChoice' | 'prompt'>,
  question: string,
  requested: { readonly search: string | null; readonly read: string | null },
): readonly DemoToolCall[] {
  if (!tools?.length || toolChoice?.type === 'none') return []
  const reports = toolReports(prompt)
  if (reports.length === 0 && requested.read !== null) return [{ toolName: readPageTool, input: { url: requested.read } }]
  if (reports.length === 0) {
    const query = requested.search ?? (toolChoice?.type === 'tool' ? question : null)
    const canSearch = query !== null && tools.some(({ name }) => name === searchTool)
    return canSearch ? [{ toolName: searchTool, input: { query: query.trim().slice(0, maxQueryChars) } }] : []
  }
  if (reports.some(({ toolName }) => toolName === readPageTool)) return []
  return foundBy(reports)
    .slice(0, pagesRead)
    .map(({ url }) => ({ toolName: readPageTool, input: { url } }))
}

/** Null if no tool was used. */
function demoToolAnswer(prompt: CallOptions['prompt']): string | null {
  const reports = toolReports(prompt)
  if (reports.length === 0) return null
  const found = foundBy(reports)
  const failures = reports.filter(({ isFailure }) => isFailure).map(({ text }) => `> ${text}`)
  const read = reports.filter(({ toolName, isFailure }) => toolName === readPageTool && !isFailure)
  const body =
    found.length > 0
      ? foundText(found)
      : failures.length > 0
        ? 'Nothing can be said from it.'
        : read.length > 0
          ? `The page says:\n\n${read.map(({ text }) => pageQuote(text)).join('\n\n')}`
          : 'The search worked and found nothing.'
  return introduced([...failures, body])
}

/** The same answer from the results of an interrupted answer. Null without results. */
function demoAnswerFrom(material: string): string | null {
  const found = foundIn(material)
  return found.length === 0 ? null : introduced([foundText(found)])
}

const foundText = (found: readonly Found[]): string =>
  `What was found, in the words of the sources:\n\n${found.map(({ number, title, text }) => `- **${title}**: ${firstWords(text)} [${number}]`).join('\n')}`

const introduced = (paragraphs: readonly string[]): string =>
  [
    '## This is the built-in demo, with tools',
    'The tools above were really used; the words around their results were not written by an AI model.',
    ...paragraphs,
  ].join('\n\n')

function toolReports(prompt: CallOptions['prompt']): readonly ToolReport[] {
  const since = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user') + 1)
  return since.flatMap((message) => {
    if (message.role !== 'tool') return []
    return message.content.flatMap((part): ToolReport[] => {
      if (part.type !== 'tool-result') return []
      const { toolName, output } = part
      if (output.type === 'text') return [{ toolName, text: output.value, isFailure: false }]
      return [{ toolName, text: output.type === 'error-text' ? output.value : 'The tool failed.', isFailure: true }]
    })
  })
}

const foundBy = (reports: readonly ToolReport[]): readonly Found[] =>
  reports.filter(({ toolName, isFailure }) => toolName === searchTool && !isFailure).flatMap(({ text }) => foundIn(text))

/** Parses the results in the text that a search gives to a model. */
const foundIn = (text: string): readonly Found[] =>
  [...text.matchAll(/^\[(\d+)\] (.+)\nURL: (.+)(?:\nDate: .+)?\n(.+)$/gm)].map(([, number = '', title = '', url = '', text = '']) => ({
    number,
    title,
    url,
    text,
  }))

const firstWords = (text: string): string => (/^.{20,}?[.!?](?=\s)/.exec(text)?.[0] ?? text).slice(0, maxQuoteChars)

/** A page result starts with the number and the address of its page, followed by the text. */
function pageQuote(report: string): string {
  const number = /the page \[(\d+)\]/.exec(report)?.[1] ?? '1'
  const text = report.split('\n').slice(3, -1).join(' ').replace(/\s+/g, ' ')
  return `${text.slice(0, maxQuoteChars)}… [${number}]`
}

const maxTopicChars = 120
const maxQuotes = 3

/** Response to a request of a research. Null for other requests. `question`: the last user message. */
function demoResearch({ prompt }: Pick<CallOptions, 'prompt'>, question: string, requested: string | null): string | null {
  const instructions = prompt.find(({ role }) => role === 'system')
  const text = typeof instructions?.content === 'string' ? instructions.content : ''
  if (text.endsWith(planRequest)) return planFor(requested ?? question)
  if (text === notesRequest) return notesFrom(question)
  const [asked = '', material] = question.split(materialBegins)
  return material === undefined ? null : reportFrom(asked, material)
}

/** Heading of the material that follows the user's text. */
const materialBegins = new RegExp(`(?:^|\n\n)${materialHeading}\n`)

/** The user's text without the added material. */
const askedIn = (question: string): string =>
  question
    .split(/\n\nThe step: /)[0]
    ?.split(`\n\n${callsHeading}`)[0]
    ?.split(materialBegins)[0] ?? question

function planFor(question: string): string {
  const topic = withoutEnd(question.replace(/\s+/g, ' '), /[?.!]/).trim().slice(0, maxTopicChars)
  return [
    `1. What is known: ${topic} => ${topic}`,
    `2. How it comes about: ${topic} => ${topic}: causes; ${topic}: history`,
    `3. What else belongs to it: ${topic} => ${topic}: related`,
  ].join('\n')
}

function notesFrom(material: string): string {
  const quotes = foundIn(material).slice(0, maxQuotes)
  return quotes.map(({ number, title, text }) => `- **${title}**: ${firstWords(text)} [${number}]`).join('\n')
}

function reportFrom(asked: string, material: string): string {
  const steps = [...material.matchAll(/^## Step \d+: (.+)\n([\s\S]*?)(?=\n\n## Step |\ndata-)/gm)]
  return [
    '## This is the built-in demo, with a research',
    `The plan was really carried out: what stands below was searched for, read and noted down. The words around it were not written by an AI model.`,
    `> ${asked.split('\n')[0]?.slice(0, maxTopicChars) ?? ''}`,
    ...steps.map(([, step = '', notes = '']) => `### ${step}\n\n${notes.trim()}`),
  ].join('\n\n')
}
