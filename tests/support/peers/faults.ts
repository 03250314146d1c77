/**
 * All provider failures by name, each with the expected outcome of the turn. A message selects a failure by its text, so that one peer
 * serves any number of concurrent turns with different failures: `fault:cut#7` is the failure `cut` with seed 7.
 */
import type { FailureCode } from '../../../worker/contract/threads/messages.ts'
import { createRng } from '../rng.ts'
import type { Behaviour, Script } from './peer-server.ts'

export const words = ['Hello ', 'big ', 'wide ', 'world'] as const
export const wholeText = words.join('')
/** 200 KB. */
const manyWords = Array.from({ length: 4000 }, (_, index) => `${String(index).padStart(49, '.')} `)
const longText = manyWords.join('')

export type Fault = {
  /** The behaviour for each request of the turn; the last one repeats. */
  readonly meets: (seed: number) => readonly Behaviour[]
  /** The expected failure code; null if the answer completes; undefined if it depends on the position of the cut. */
  readonly code: FailureCode | null | undefined
  readonly keeps: 'nothing' | 'beginning' | 'all' | 'long' | 'twice' | 'marked'
  readonly mode?: 'search'
}

const status = (status: number, headers: Readonly<Record<string, string>> = {}): readonly Behaviour[] => [
  { kind: 'status', status, headers },
]
const tooLong = { kind: 'status', status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' } as const
const search = (input: string) => ({ kind: 'tools', calls: [{ name: 'search', input }] }) as const

export const faults = {
  'refused-key': { meets: () => status(401), code: 'model_refused_key', keeps: 'nothing' },
  'no-funds': { meets: () => status(402), code: 'model_out_of_funds', keeps: 'nothing' },
  busy: { meets: () => status(429, { 'retry-after': '1' }), code: 'model_busy', keeps: 'nothing' },
  'busy-for-long': { meets: () => status(429, { 'retry-after': '60' }), code: 'model_busy', keeps: 'nothing' },
  broken: { meets: () => status(500), code: 'model_error', keeps: 'nothing' },
  'hang-up': { meets: () => [{ kind: 'hang-up' }], code: 'model_unreachable', keeps: 'nothing' },
  mute: { meets: () => [{ kind: 'mute' }], code: 'model_silent', keeps: 'nothing' },
  stall: { meets: () => [{ kind: 'stall', words }], code: 'model_silent', keeps: 'all' },
  cut: { meets: (seed) => [{ kind: 'cut', words, bytes: createRng(seed).below(900) }], code: undefined, keeps: 'beginning' },
  unfinished: { meets: () => [{ kind: 'unfinished', words }], code: 'model_unreachable', keeps: 'all' },
  malformed: { meets: () => [{ kind: 'malformed', words }], code: 'model_nonsense', keeps: 'all' },
  'event-of-nothing': { meets: () => [{ kind: 'answer', words, parts: ['null'] }], code: 'model_nonsense', keeps: 'all', mode: 'search' },
  error: { meets: () => [{ kind: 'error', words, message: 'out of luck' }], code: 'model_error', keeps: 'all' },
  'endless-line': { meets: () => [{ kind: 'flood', words, of: 'line' }], code: 'model_nonsense', keeps: 'all' },
  'endless-event': { meets: () => [{ kind: 'flood', words, of: 'event' }], code: 'model_nonsense', keeps: 'all', mode: 'search' },
  'endless-gzip': { meets: () => [{ kind: 'flood', words, of: 'packed' }], code: 'model_nonsense', keeps: 'all' },
  'ending-twice': { meets: () => [{ kind: 'duplicated', words, events: 'ending' }], code: null, keeps: 'all' },
  'all-twice': { meets: () => [{ kind: 'duplicated', words, events: 'all' }], code: null, keeps: 'twice' },
  'open-after-end': { meets: () => [{ kind: 'open-after-end', words }], code: null, keeps: 'all' },
  'torn-after-end': { meets: () => [{ kind: 'torn-after-end', words }], code: null, keeps: 'all' },
  'open-after-end-of-search': { meets: () => [{ kind: 'open-after-end', words }], code: null, keeps: 'all', mode: 'search' },
  'page-for-answer': { meets: () => [{ kind: 'no-stream', of: 'page' }], code: 'model_no_stream', keeps: 'nothing' },
  'no-funds-as-success': {
    meets: () => [{ kind: 'no-stream', of: 'error', message: 'insufficient_quota' }],
    code: 'model_out_of_funds',
    keeps: 'nothing',
  },
  'reasoning-in-text': { meets: () => [{ kind: 'answer', words: ['<thi', 'nk>hm</', 'think>', ...words] }], code: null, keeps: 'all' },
  'reasoning-without-end': { meets: () => [{ kind: 'answer', words: ['<think>', ...words] }], code: null, keeps: 'marked' },
  'too-long': { meets: () => [tooLong], code: 'conversation_too_long', keeps: 'nothing' },
  'too-long-behind-tools': {
    meets: () => [search('{"query": "tea"}'), tooLong],
    code: 'conversation_too_long',
    keeps: 'nothing',
    mode: 'search',
  },
  'busy-behind-tools': {
    meets: () => [search('{"query": "tea"}'), ...status(429), { kind: 'answer', words }],
    code: null,
    keeps: 'all',
    mode: 'search',
  },
  'length-limit': { meets: () => [{ kind: 'answer', words, ends: 'length' }], code: 'model_length', keeps: 'all' },
  'length-limit-of-thoughts': {
    meets: () => [{ kind: 'answer', words: [], reasoning: ['hm'], ends: 'length' }],
    code: 'model_length',
    keeps: 'nothing',
  },
  filtered: { meets: () => [{ kind: 'answer', words, ends: 'content-filter' }], code: 'model_filtered', keeps: 'all' },
  empty: { meets: () => [{ kind: 'empty' }], code: 'model_empty', keeps: 'nothing' },
  'no-usage': { meets: () => [{ kind: 'answer', words, usage: 'missing' }], code: null, keeps: 'all' },
  'tool-json-cut': { meets: () => [search('{"query": "ti'), { kind: 'answer', words }], code: null, keeps: 'all', mode: 'search' },
  'tool-json-cut-by-length': {
    meets: () => [{ ...search('{"query": "ti'), ends: 'length' }],
    code: 'model_length',
    keeps: 'nothing',
    mode: 'search',
  },
  'tools-for-ever': { meets: () => [search('{"query": "nothing at all"}')], code: 'model_nonsense', keeps: 'nothing', mode: 'search' },
  'tool-json-cut-for-ever': { meets: () => [search('{"query": "ti')], code: 'model_nonsense', keeps: 'nothing', mode: 'search' },
  long: { meets: () => [{ kind: 'answer', words: manyWords }], code: null, keeps: 'long' },
  /** The first call breaks off, later ones succeed. */
  'cut-once': {
    meets: () => [
      { kind: 'unfinished', words: words.slice(0, 2) },
      { kind: 'answer', words: words.slice(2) },
    ],
    code: 'model_unreachable',
    keeps: 'beginning',
  },
  'broken-once': { meets: () => [...status(400), { kind: 'answer', words }], code: 'model_error', keeps: 'nothing' },
} as const satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof faults
/** Providers of rows of the catalogue. */
export type ConnectionName = 'gateway' | 'openrouter' | 'compatible' | 'ollama' | 'workers-ai'

/** `because`: why the fault has another outcome, or cannot happen. */
type Deviation = { readonly because: string } & ({ readonly code: FailureCode } | { readonly isOmitted: true })

const noStatus = 'an error of the binding has no status, and few have a code'

/** Outcomes that differ for a connection. */
const deviations: { readonly [C in ConnectionName]?: { readonly [F in FaultName]?: Deviation } } = {
  'workers-ai': {
    'no-funds': { code: 'model_busy', because: 'the code for used-up funds counts as too many requests' },
    broken: { code: 'model_unreachable', because: noStatus },
    'endless-gzip': { isOmitted: true, because: 'the binding returns values without an encoding' },
    'page-for-answer': { isOmitted: true, because: 'the binding returns values instead of documents' },
    'no-funds-as-success': { code: 'model_empty', because: 'the package ignores an error in a value' },
  },
}

/** The fault with its outcome for a connection; null if it cannot happen there. */
export function faultOf(name: FaultName, connection: ConnectionName): Fault | null {
  const deviation = deviations[connection]?.[name]
  if (!deviation) return faults[name]
  return 'isOmitted' in deviation ? null : { ...faults[name], code: deviation.code }
}

/** True if the text of the answer is what remains after the fault. */
export const isKept: { readonly [K in Fault['keeps']]: (text: string) => boolean } = {
  nothing: (text) => text === '',
  beginning: (text) => wholeText.startsWith(text),
  all: (text) => text === wholeText,
  long: (text) => text === longText,
  marked: (text) => text === `<think>${wholeText}`,
  // A word that was delivered twice cannot be distinguished from a repeated word: checks that nothing is missing.
  twice: (text) => wholeText.split(' ').every((word) => text.includes(word)),
}
export const faultNames = Object.keys(faults) as FaultName[]

export const faultPrompt = (name: FaultName, seed: number): string => `fault:${name}#${seed}`

/** Counts the requests of each message; title requests succeed. */
export function faultScript(): Script {
  const met = new Map<string, number>()
  return ({ body, streaming }) => {
    if (!streaming) return { kind: 'answer', words: ['Title'] }
    const [asked = '', name = '', seed = '0'] = [...JSON.stringify(body).matchAll(/fault:([a-z-]+)#(\d+)/g)].at(-1) ?? []
    const count = met.get(asked) ?? 0
    met.set(asked, count + 1)
    const behaviours: readonly Behaviour[] = name in faults ? faults[name as FaultName].meets(Number(seed)) : [{ kind: 'answer', words }]
    return behaviours[Math.min(count, behaviours.length - 1)] ?? { kind: 'empty' }
  }
}
