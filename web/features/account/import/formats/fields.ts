/** Fields that several formats have. A field of another type than expected counts as missing. */
import * as z from 'zod/mini'
import type { SourceModel } from './source-thread.ts'

export const textOrNull = z.catch(z.nullable(z.string()), null)
export const textOrEmpty = z.catch(z.string(), '')
export const flag = z.catch(z.boolean(), false)
export const idField = z.string().check(z.minLength(1), z.maxLength(500))

/** Chosen: years before computers and far ahead are mistakes. */
const maxMs = 4_000_000_000_000
const inRange = (ms: number): number | null => (Number.isFinite(ms) && ms > 0 && ms < maxMs ? Math.round(ms) : null)

/** Seconds or milliseconds since the epoch as a number, or a date of ISO 8601. Null for anything else. */
export function timeMs(value: unknown): number | null {
  if (typeof value === 'number') return inRange(value < 100_000_000_000 ? value * 1000 : value)
  return typeof value === 'string' && value.length < 60 ? inRange(Date.parse(value)) : null
}

const makers: readonly (readonly [name: RegExp, icon: string])[] = [
  [/gpt|^o\d|chatgpt|dall-?e|text-davinci|openai/i, 'openai'],
  [/claude|anthropic/i, 'anthropic'],
  [/gemini|gemma|palm|google/i, 'gemini'],
  [/grok|xai/i, 'xai'],
  [/deepseek/i, 'deepseek'],
  [/llama|meta/i, 'meta'],
  [/mistral|mixtral|codestral/i, 'mistral'],
  [/qwen|qwq/i, 'qwen'],
  [/kimi|moonshot/i, 'moonshot'],
  [/glm/i, 'zai'],
]

const maxModelChars = 100

/** The model of an answer by its name in the file. */
export function modelNamed(name: string | null | undefined): SourceModel | undefined {
  const short = name?.trim().slice(0, maxModelChars)
  if (!short) return undefined
  return { id: short, name: short, icon: makers.find(([pattern]) => pattern.test(short))?.[1] ?? 'compatible' }
}
