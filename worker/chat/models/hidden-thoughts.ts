/**
 * Which models think without an opening mark (see thoughts-apart.ts), by name, and which servers keep those thoughts to themselves, by
 * experience: where two whole answers in a row had no closing mark, the next is text from its first word. One alone may be a model that did
 * not think for once; thoughts that are shown as an answer cannot be taken back. A mark that comes all the same ends what was believed.
 *
 * Known to one isolate, which may be gone with the next answer, and read again in the answers of a thread, which show how they came.
 */
import { type ChatMessage, type MessagePart, textOf } from '../../contract/messages.ts'
import { closing, type Unmarked } from './thoughts-apart.ts'
import type { VendorModel } from './vendor-model.ts'

type Named = Pick<VendorModel, 'provider' | 'modelId'>

/** DeepSeek's R1 and what was made from it, QwQ, and Qwen's models that do nothing but think, in the spellings of those who serve them. */
const unmarkedNames = /(?:deepseek[-_]?r1|r1-distill|(?:^|[^a-z0-9])qwq)(?![a-z0-9])|qwen[\w.:-]*(?<!non)-thinking/i

/** The gateway tells thoughts as such, whoever serves the model. */
export const thinksUnmarked = ({ provider, modelId }: Named): boolean => provider !== 'gateway' && unmarkedNames.test(modelId)

const enough = 2

/** By server and model: how many answers in a row had no mark. There are no more of them than models in the catalogue. */
const bareInARow = new Map<string, number>()

const keyOf = ({ provider, modelId }: Named): string => `${provider} ${modelId}`

/** Null for a model that tells its thoughts apart, or has none. */
export function unmarkedThoughts(model: Named): Unmarked | null {
  if (!thinksUnmarked(model)) return null
  const key = keyOf(model)
  return {
    isExpected: (bareInARow.get(key) ?? 0) < enough,
    learn: (isMarked) => void bareInARow.set(key, isMarked ? 0 : (bareInARow.get(key) ?? 0) + 1),
  }
}

/** What the thread says of the model of that row, for an isolate that knows nothing of it yet. */
export function recallThoughts(model: Named, history: readonly ChatMessage[], rowId: string): void {
  const key = keyOf(model)
  if (!thinksUnmarked(model) || bareInARow.has(key)) return
  const answers = history.filter(
    (message) => message.role === 'assistant' && message.metadata.modelId === rowId && message.metadata.ending === 'completed',
  )
  const marked = answers.findLastIndex((answer) => !isBare(answer))
  if (answers.length > 0) bareInARow.set(key, answers.length - 1 - marked)
}

/** It has no thoughts, or the same words for thoughts and for text: what was said once more because no mark came. */
function isBare(answer: { readonly parts: readonly MessagePart[] }): boolean {
  const said = textOf(answer).trim()
  const thought = answer.parts.flatMap((part) => (part.type === 'reasoning' && 'text' in part ? [part.text] : [])).join('\n\n')
  return said !== '' && !said.includes(closing) && (thought.trim() === '' || thought.trim() === said)
}
