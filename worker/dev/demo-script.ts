/**
 * Commands that make the demo model produce every kind of answer. A command begins with `/demo`:
 *
 *   /demo chunks=200 delay=5        200 words, 5 ms apart (defaults: 120 words, 22 ms; delay=0 as fast as it can)
 *   /demo chars=1000                words of 1,000 characters
 *   /demo think=40                  40 words of reasoning first
 *   /demo fail | fail=start         an error in the middle | before the first word
 *   /demo silent | silent=start     stops in the middle without an end | sends nothing
 *   /demo empty                     ends without text
 *   /demo files                     lists the files of the message
 *   /demo draw                      text and an image | draw=2000000 an image of at least this many bytes
 *   /demo search=why tides come     in Search mode: searches for the rest of the line
 *   /demo read=https://…            in Search mode: reads that page
 *   /demo call=echo {"text":"hi"}  calls the tool whose name is or ends with `echo`, with these arguments
 *   /demo note=Tea | Milk           saves a note for each title; each call needs approval | held=5000 each call takes this many ms
 *   /demo say=**Hello**             answers with the rest of the message
 *
 * Options can be combined: `/demo chunks=50 think=10 fail`. Unknown options are ignored.
 */
export type DemoDirective = {
  readonly chunks: number
  readonly delayMs: number
  /** Minimum length of a word. */
  readonly chars: number
  readonly think: number
  /** Where the answer fails; null for a complete answer. */
  readonly fail: 'start' | 'midway' | null
  readonly silent: 'start' | 'midway' | null
  readonly files: boolean
  /** Minimum size of the image in bytes. Null: no image. */
  readonly draw: number | null
  readonly search: string | null
  readonly read: string | null
  /** Titles of the notes that it saves. */
  readonly notes: readonly string[]
  readonly heldMs: number
  /** A tool that it calls. `input`: JSON. */
  readonly call: { readonly name: string; readonly input: string } | null
  readonly say: string | null
}

/** Similar to the output speed of a fast model. */
export const defaultDelayMs = 22

const maxChunks = 200_000
const maxChars = 100_000
const maxDelayMs = 60_000
const maxDrawnBytes = 10_000_000

export function parseDemoDirective(message: string): DemoDirective | null {
  const [untilSay = '', text] = message.trim().split(/\bsay=(.*)/s)
  const [untilCall = '', called, input = ''] = untilSay.split(/\bcall=(\S+)(.*)/s)
  const [untilNote = '', notes = ''] = untilCall.split(/\bnote=(.*)/)
  const [order = '', query] = untilNote.split(/\bsearch=(.*)/s)
  const [command, ...words] = order.trim().split(/\s+/)
  if (command !== '/demo') return null
  const options = new Map(words.map((word) => [word.split('=')[0] ?? word, word.split('=')[1] ?? '']))
  const positionOf = (name: string) => (options.has(name) ? (options.get(name) === 'start' ? 'start' : 'midway') : null)
  return {
    chunks: options.has('empty') ? 0 : count(options.get('chunks'), 120, maxChunks),
    delayMs: count(options.get('delay'), defaultDelayMs, maxDelayMs),
    chars: count(options.get('chars'), 0, maxChars),
    think: count(options.get('think'), 0, maxChunks),
    fail: positionOf('fail'),
    silent: positionOf('silent'),
    files: options.has('files'),
    draw: options.has('draw') ? count(options.get('draw'), 0, maxDrawnBytes) : null,
    search: query?.trim() || null,
    read: words.find((word) => word.startsWith('read='))?.slice('read='.length) || null,
    notes: notes
      .split('|')
      .map((title) => title.trim())
      .filter(Boolean),
    heldMs: count(options.get('held'), 0, maxDelayMs),
    call: called === undefined ? null : { name: called, input: input.trim() || '{}' },
    say: text?.trim() || null,
  }
}

function count(text: string | undefined, otherwise: number, max: number): number {
  const value = text ? Number(text) : Number.NaN
  return Number.isInteger(value) && value >= 0 ? Math.min(value, max) : otherwise
}

const maxTitleWords = 6
/** The part of a message that is searched for its subject. */
const maxSubjectChars = 500
/** English and German words that begin a request, but not a title. */
const requestWords = new Set(
  `compare describe explain fix give hello hey hi please show summarize tell translate write
  beschreibe bitte erkläre erzähle gib hallo nenne plan plane sage schreibe vergleiche zeige übersetze`.split(/\s+/),
)
/** English and German words that neither begin nor end a title. */
const smallWords = new Set(
  `a about an and are at by can could did do does for from how i in is it let me my of on or should that the to us was we were what when where
  which who why will with would you
  als am auf bei bin bist das dem den der die ein eine einem einen einer es für hat ich im ist kann können mein meine meinen mich mir mit sich sie
  sind soll sollte um und uns von wann warum welche welcher welches wer wie wir wo zu zum zur über`.split(/\s+/),
)
const isIn = (words: ReadonlySet<string>, word: string): boolean => words.has(word.toLowerCase().replace(/[^\p{L}]/gu, ''))

const optionNames = new Set(['chunks', 'delay', 'chars', 'think', 'fail', 'silent', 'empty', 'files', 'draw', 'read', 'held'])

/** The text of `say`, `search`, `note` or `call`, else the words that are not options. */
function textOfCommand({ say, search, notes, call }: DemoDirective, command: string): string {
  const [, ...words] = command.trim().split(/\s+/)
  return say ?? search ?? notes[0] ?? call?.name ?? words.filter((word) => !optionNames.has(word.split('=')[0] ?? '')).join(' ')
}

/** The subject of the first sentence. Empty if no subject is found, as in a command with options only. */
export function demoTitle(message: string): string {
  const directive = parseDemoDirective(message)
  const question = directive ? textOfCommand(directive, message) : message
  const words = (
    question
      .trim()
      .slice(0, maxSubjectChars)
      .split(/(?<=[.?!])\s|\n/)[0] ?? ''
  ).split(/\s+/)
  const first = words.findIndex((word) => !isIn(requestWords, word) && !isIn(smallWords, word))
  if (first < 0) return ''
  const subject = words.slice(first, first + maxTitleWords)
  const last = subject.findLastIndex((word) => !isIn(smallWords, word))
  const title = subject
    .slice(0, last + 1)
    .join(' ')
    .replace(/[\s.,;:!?…]+$/u, '')
  return title.slice(0, 1).toUpperCase() + title.slice(1)
}

/** The user's sentences about themselves, as facts. `request`: JSON of `askForFacts`. */
export function demoFacts(request: string): string {
  const { message } = JSON.parse(request) as { readonly message: string }
  const sentences = message.match(/[^.!?\n]+[.!]?/g) ?? []
  const own = sentences.map((sentence) => sentence.trim()).filter((sentence) => /^(?:I|I'm|My|Ich|Mein|Meine)\b/.test(sentence))
  return JSON.stringify({ facts: own.map((sentence) => ({ fact: sentence, quote: sentence })) })
}

const maxQuoteChars = 280

export function demoReasoning(question: string): string {
  const words = question.trim().split(/\s+/).filter(Boolean).length
  return [
    `The user wrote ${words === 1 ? 'one word' : `${words} words`}.`,
    'No model provider is connected, so nothing can be looked up or thought through.',
    'The honest thing is to say so first, then to show what an answer looks like: a heading, a list, a table and code.',
  ].join(' ')
}

export function demoAnswer(question: string, files: string, modelName: string): string {
  return `## This is the built-in demo

You chose **${modelName}**, but **no model provider is connected** to this installation. Nothing below was written by an AI model: a small program streams it, so that the rest of the product can be tried.

${question.trim() === '' ? '' : `You wrote:\n\n${quote(question)}\n`}${files === '' ? '' : `\n${files}\n`}
### What works here

- Answers stream in as they are written, and *survive a reload* in the middle.
- Every other device of yours sees the same thread, live.
- Stop, edit, regenerate and copy do what they say:
  1. **Stop** keeps what has been written.
  2. **Edit** and **Regenerate** add a version; nothing is lost.
- ~~General knowledge~~ needs a real model. Connect a provider to get real answers.

### What to connect

| Setting | Reaches | Needs |
| :-- | :-- | --: |
| \`AI_GATEWAY_API_KEY\` | OpenAI, Anthropic, Google and more | one key |
| \`OPENROUTER_API_KEY\` | models by way of OpenRouter | one key |
| \`OLLAMA_URL\` | models on your own machine | no key |

\`\`\`ts
// How long this is, counted the way JavaScript counts.
const message = ${JSON.stringify(firstLine(question))}
console.log(message.length) // ${firstLine(question).length}
\`\`\`

> To see a tool at work, add a server in Settings, Tools, and send \`/demo call=NAME {}\` with the name of a tool and its arguments.

> To see how failures look, send \`/demo fail\` or \`/demo fail=start\`; for a long answer, \`/demo chunks=400 delay=5\`.

Put a key into \`.dev.vars\`, start again, and **${modelName}** will answer itself.
`
}

const firstLine = (text: string): string => shorten(text.trim().split('\n')[0] ?? '', 60)

export const quote = (text: string): string =>
  shorten(text.trim(), maxQuoteChars)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')

const shorten = (text: string, chars: number): string => (text.length <= chars ? text : `${text.slice(0, chars - 1).trimEnd()}…`)
