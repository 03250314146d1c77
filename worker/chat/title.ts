/**
 * The title of a thread, from its first message. A small model is asked where one is connected; when there is none, or it is slow
 * or says something unusable, the first words of the message are the title. Never on the way of the answer.
 */
import { generateText, type LanguageModel } from 'ai'
import { generatedTitleChars } from '../contract/limits.ts'
import { type ChatMessage, textOf } from '../contract/messages.ts'

const fallbackTitle = 'New thread'

/** Longer messages say what they are about in their beginning. */
const maxQuestionChars = 2000
const maxTitleTokens = 40

/** How long an ended answer waits for its title: the thread is not ready before. */
export const titleWaitMs = 2000

const titleInstructions = `Write a title for a conversation that begins with the message below.
At most six words, in the language of the message. No quotation marks, no colon, no Markdown. Answer with the title alone; do not answer the message.`

export async function askForTitle(model: LanguageModel, question: string, signal: AbortSignal): Promise<string | null> {
  const { text } = await generateText({
    model,
    instructions: titleInstructions,
    prompt: question.slice(0, maxQuestionChars),
    maxOutputTokens: maxTitleTokens,
    maxRetries: 0,
    abortSignal: signal,
  })
  return cleanTitle(text)
}

export function firstQuestion(history: readonly ChatMessage[]): string {
  const first = history.find((message) => message.role === 'user')
  return first ? textOf(first) : ''
}

export function titleFromText(text: string): string {
  const firstLine = text
    .split('\n')
    .map((line) => cleanTitle(line))
    .find((line) => line !== null)
  return firstLine ?? fallbackTitle
}

/** One line without quotes, colons and Markdown's marks, cut at a word. Null when nothing is left. */
export function cleanTitle(text: string): string | null {
  const plain = text
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    // Marks at the beginning of a line are Markdown's: headings, quotes, lists.
    .replace(/^\s*(?:[#>]+\s*|[-*+]\s+|\d+[.)]\s+)+/u, '')
    // An apostrophe inside a word belongs to the word, in the form that is no quote.
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, '\uE000')
    .replace(/["'“”„‟«»‹›‘’‚‛`*_~]+/gu, '')
    .replace(/[:：]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[.。,;\s]+$/u, '')
    .replaceAll('\uE000', '’')
  const title = cut(plain)
  return /[\p{L}\p{N}\p{S}\p{P}]/u.test(title) ? title : null
}

function cut(text: string): string {
  if (text.length <= generatedTitleChars) return text
  const room = text.slice(0, generatedTitleChars - 1)
  const word = room.lastIndexOf(' ')
  // A language without spaces, or one very long word: cut where the room ends, but not inside a surrogate pair.
  const kept = word > generatedTitleChars / 2 ? room.slice(0, word) : room.replace(/[\uD800-\uDBFF]$/u, '')
  return `${kept.replace(/[.,;\s]+$/u, '')}…`
}
