/**
 * A title for a thread that is better than the first words of its message, from a small model where one is connected. It is asked beside
 * the answer and never on its way; when it is slow or says something unusable, the first words stay.
 */
import { APICallError } from 'ai'
import { cutAt } from '../contract/text-end.ts'
import { cleanTitle } from '../contract/titles.ts'
import type { CallOptions, VendorModel } from './models/vendor-model.ts'

/** Longer messages say what they are about in their beginning. */
const maxQuestionChars = 2000

/**
 * What a model may spend. A title takes some ten tokens, but thoughts count too, and whether a model thinks is not always known. So the
 * first limit leaves room for some, and costs nothing where there are none; a model that thought up all of it is asked once more, with
 * more room and to think little. No server is told that before it has shown that its model thinks: some refuse it for one that does not.
 */
const allowances = [{ maxOutputTokens: 1000 }, { maxOutputTokens: 4000, reasoning: 'low' }] as const

/** For servers that refuse a limit, as OpenAI's own do for models that think: one that is asked without any answers as long as it likes. */
const unlimited = {}

/** A second call costs milliseconds of CPU, which the first one needs until its question has left. */
export const titleDelayMs = 50
/** A title that comes later than this would change under the eyes of somebody who knows the thread by its first words. */
export const titleWaitMs = 20_000

const titleInstructions = `Write a title for a conversation that begins with the message below.
At most six words, in the language of the message. No quotation marks, no colon, no Markdown. Answer with the title alone; do not answer the message.`

/** Of the model itself and not by the SDK, which throws an answer away that does not say what it cost. */
export async function askForTitle(model: VendorModel, question: string, signal: AbortSignal): Promise<string | null> {
  const prompt: CallOptions['prompt'] = [
    { role: 'system', content: titleInstructions },
    { role: 'user', content: [{ type: 'text', text: cutAt(question, maxQuestionChars) }] },
  ]
  const ask = async (allowance: (typeof allowances)[number] | typeof unlimited) => {
    const { content, finishReason } = await model.doGenerate({ prompt, ...allowance, abortSignal: signal })
    const text = content.flatMap((part) => (part.type === 'text' && typeof part.text === 'string' ? [part.text] : [])).join('')
    // What is cut short is thoughts without a mark, or an answer to the message: no title is as long as that.
    const isCutShort = finishReason?.unified === 'length'
    return { title: isCutShort ? null : cleanTitle(text.replace(thoughtsAloud, '')), isCutShort }
  }
  for (const allowance of allowances) {
    const answer = await ask(allowance).catch((error: unknown) => {
      if (isRefused(error)) return ask(unlimited)
      throw error
    })
    if (!answer.isCutShort) return answer.title
  }
  return null
}

/** Not taken as it was asked, which says nothing about being asked otherwise. */
const isRefused = (error: unknown): boolean => APICallError.isInstance(error) && (error.statusCode === 400 || error.statusCode === 422)

/** Some servers pass on an open model's thoughts as the beginning of its text, perhaps without the opening mark; they may have been cut off. */
const thoughtsAloud = /^.*?<\/think>|^\s*<think>.*$/s
