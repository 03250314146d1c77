/** What a model is told: who it is for this person, and the conversation so far. */
import type { ModelMessage, UserContent } from 'ai'
import { filesOf } from '../contract/files.ts'
import { type ChatMessage, type FilePart, type MessagePart, openTextIn } from '../contract/messages.ts'
import type { TurnMode } from '../contract/modes.ts'
import { cutAt } from '../contract/text-end.ts'
import { isToolPart } from '../contract/tools.ts'
import type { TurnOrder } from '../contract/turn.ts'
import type { AttachedFiles } from './attached-files.ts'
import { reportRules } from './research/prompts.ts'
import { madeFilesOf, toldOf, toldSoFar } from './told.ts'
import { quotedName, toolRules } from './tools/untrusted.ts'

const productName = 'Parley'

type Section = { readonly name: string; readonly text: string | null | undefined }

const rules: { readonly [Mode in TurnMode]: (tools: readonly string[]) => string | null } = {
  chat: () => null,
  search: toolRules,
  research: () => reportRules,
}

/** Named sections, and only those that have something to say. `tools`: the names of those that the model is offered. */
export function instructionsFor(
  { model, person, mode }: Pick<TurnOrder, 'model' | 'person' | 'mode'>,
  nowMs: number,
  tools: readonly string[] = [],
): string {
  const sections: readonly Section[] = [
    {
      name: 'Role',
      text: `You are ${model.name}, answering in ${productName}, an app for conversations with AI models. Be helpful, accurate and to the point. Say so when you do not know something.`,
    },
    {
      name: 'Format',
      text: 'Write GitHub-flavoured Markdown. Name the language of every code block. Write mathematics as LaTeX between $$ or \\( and \\), diagrams as code blocks in mermaid. Answer in the language of the person unless asked otherwise.',
    },
    { name: 'Date', text: `Today is ${new Date(nowMs).toISOString().slice(0, 10)} (UTC).` },
    { name: 'Tools', text: rules[mode](tools) },
    { name: 'Name of the person', text: person.nickname },
    { name: 'About the person, in their own words', text: person.biography },
    { name: 'What the person asks of every answer', text: person.instructions },
  ]
  return sections.flatMap(({ name, text }) => (text?.trim() ? [`# ${name}\n${text.trim()}`] : [])).join('\n\n')
}

/** The demo model knows by these words that it is asked to go on. */
export const continueRequest =
  'Your last answer was cut off. Continue it exactly where it stopped: begin with the very next word, repeat nothing, and add no introduction.'

/** Where tools were used behind the last word, that is no sentence to be continued. */
export const goOnRequest =
  'Your last answer was cut off after it had used its tools; what they returned stands above, with the question. Go on with the answer: repeat nothing of it, and add no introduction.'

/** Where a file was made behind the last word: it was shown, and neither it nor that word is a sentence to be continued. */
export const goOnBehindFileRequest =
  'Your last answer was cut off behind a file that it made, which was shown. Go on with the answer: repeat nothing of it, do not make the file again, and add no introduction.'

/** Ours: pictures cost like pages, and what a person says next is seldom about an older one. The others are told of in words. */
const maxMadeFiles = 4

/**
 * Only what was shown, and in words (told.ts). A picture that a model made comes with what the person said next, for a model that can see it.
 * An answer to be continued is followed by a request to do so, because few vendors accept a conversation that ends with the model.
 * `found`: what its tools returned, quoted.
 */
export function modelMessages(
  history: readonly ChatMessage[],
  continued: readonly MessagePart[] = [],
  files: Pick<AttachedFiles, 'partsOf' | 'madePartsOf'> = noFiles,
  found: string | null = null,
): ModelMessage[] {
  const made = new Set(history.flatMap(madeFilesOf).slice(-maxMadeFiles))
  let shown: readonly FilePart[] = []
  const said = history.flatMap((message): ModelMessage[] => {
    // For half a letter some vendors refuse a whole request, and so would every later one of the thread.
    const text = toldOf(message).toWellFormed()
    if (message.role === 'assistant') shown = [...shown, ...madeFilesOf(message).filter((file) => made.has(file))]
    const attached = message.role === 'user' ? [...shown.flatMap(files.madePartsOf), ...filesOf(message).flatMap(files.partsOf)] : []
    if (message.role === 'user') shown = []
    // What is asked comes after what it is asked about.
    if (attached.length > 0)
      return [{ role: 'user', content: [...attached, ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }])] }]
    return text.trim() === '' ? [] : [message.role === 'user' ? { role: 'user', content: text } : { role: 'assistant', content: text }]
  })
  const turns = inTurns(said)
  const asked = found === null ? turns : withMaterial(turns, found)
  const begun = toldSoFar(continued).toWellFormed()
  if (begun.trim() === '') return asked
  return [...asked, { role: 'assistant', content: begun }, { role: 'user', content: requestToGoOn(continued) }]
}

/** Ours: said in the place of an answer that never came, or was deleted. */
const unanswered = '[This was not answered.]'

/**
 * One side after the other, the person's first: of some vendors, and of the templates of many open models, nothing else is taken. A question
 * that got no answer is not made one with the next, which may be there instead of it; an answer comes first when what it answered did not fit.
 */
function inTurns(said: readonly ModelMessage[]): ModelMessage[] {
  const turns: ModelMessage[] = []
  for (const message of said) {
    if (message.role === 'user' && turns.at(-1)?.role === 'user') turns.push({ role: 'assistant', content: unanswered })
    if (turns.length > 0 || message.role === 'user') turns.push(message)
  }
  return turns
}

function requestToGoOn(continued: readonly MessagePart[]): string {
  if (openTextIn(continued) !== -1) return continueRequest
  const behind = continued.slice(continued.findLastIndex(({ type }) => type === 'text') + 1)
  return behind.some(isToolPart) ? goOnRequest : goOnBehindFileRequest
}

const noFiles = { partsOf: () => [], madePartsOf: () => [] }

/** The same in words alone, and only the newest of it: what is needed to understand what was said last. */
export function conversationWords(history: readonly ChatMessage[], { maxChars, maxCharsEach }: WordLimits): Words[] {
  let chars = 0
  const words = modelMessages(history, [], fileNames).flatMap(({ role, content }): Words[] => {
    const text = typeof content === 'string' ? content : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
    const told = text.length > maxCharsEach ? `${cutAt(text, maxCharsEach)} […]` : text
    return role === 'user' || role === 'assistant' ? [{ role, content: told }] : []
  })
  const tooFar = words.findLastIndex(({ content }) => {
    chars += content.length
    return chars > maxChars
  })
  const first = words.findIndex(({ role }, index) => index > tooFar && role === 'user')
  return first === -1 ? [] : words.slice(first)
}

type Words = { readonly role: 'user' | 'assistant'; readonly content: string }
type WordLimits = { readonly maxChars: number; readonly maxCharsEach: number }

const fileNames: Pick<AttachedFiles, 'partsOf' | 'madePartsOf'> = {
  partsOf: ({ name }) => [{ type: 'text', text: `[The person attached ${quotedName(name)} here.]` }],
  madePartsOf: () => [],
}

/** Behind the question, in the same message: few vendors accept two of one side. */
export function withMaterial(messages: readonly ModelMessage[], material: string): ModelMessage[] {
  const question = messages.at(-1)
  if (question?.role !== 'user') return [...messages, { role: 'user', content: material }]
  return [...messages.slice(0, -1), { role: 'user', content: contentWith(question.content, material) }]
}

/** Words stay words: a conversation of nothing else goes to the vendor without the SDK's detours. */
const contentWith = (question: UserContent, material: string): UserContent =>
  typeof question === 'string'
    ? [question, material].filter((text) => text !== '').join('\n\n')
    : [...question, { type: 'text', text: material }]
