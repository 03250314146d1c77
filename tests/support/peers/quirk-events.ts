/** The form of a quirk (quirks.ts), and the events of the OpenAI protocol that quirks are made of. */
import type { FailureCode } from '../../../worker/contract/threads/messages.ts'

export type Quirk = {
  readonly name: string
  /** Objects are sent as events, texts and bytes unchanged. */
  readonly sends: readonly (object | string)[]
  readonly text?: string
  readonly reasoning?: string
  /** The queries of the calls of the tool `search`, in order. */
  readonly searches?: readonly string[]
  /** The answer fails. */
  readonly code?: FailureCode
  /** Tokens of input and output. */
  readonly usage?: readonly [number | undefined, number | undefined]
}

export const done = 'data: [DONE]\n\n'
export const choice = (fields: object) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, ...fields }],
})
export const delta = (fields: object, finish_reason: unknown = null) => choice({ delta: fields, finish_reason })
export const says = (...words: readonly string[]) => words.map((content) => delta({ content }))
export const ends = (reason: unknown = 'stop') => [delta({}, reason), done]
