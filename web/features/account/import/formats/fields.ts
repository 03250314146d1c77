/** Fields that several formats have. A field of another type than expected counts as missing. */
import * as z from 'zod/mini'
import type { SourceModel } from './source-thread.ts'

export const textOrNull = z.catch(z.nullable(z.string()), null)
export const textOrEmpty = z.catch(z.string(), '')
export const listOrEmpty = z.catch(z.array(z.unknown()), [])
export const flag = z.catch(z.boolean(), false)
export const idField = z.string().check(z.minLength(1), z.maxLength(500))

/** Chosen: years before computers and far ahead are mistakes. */
const maxMs = 4_000_000_000_000
const inRange = (ms: number): number | null => (Number.isFinite(ms) && ms > 0 && ms < maxMs ? Math.round(ms) : null)

/** The largest number of each unit that is before the year 5138. A smaller unit has larger numbers. */
const units: readonly (readonly [max: number, perMs: number])[] = [
  [1e11, 1e-3],
  [1e14, 1],
  [1e17, 1e3],
  [1e20, 1e6],
]

/** Time since the epoch in seconds, milliseconds, microseconds or nanoseconds, as a number or in digits, or a date of ISO 8601. Else null. */
export function timeMs(value: unknown): number | null {
  if (typeof value === 'number') {
    const perMs = units.find(([max]) => value < max)?.[1]
    return perMs === undefined ? null : inRange(value / perMs)
  }
  if (typeof value !== 'string' || value.length >= 60) return null
  const text = value.trim()
  if (/^\d+(?:\.\d+)?$/.test(text)) return timeMs(Number(text))
  // Not every browser reads a space in place of the T, or more than three digits of a second. A time without a zone is UTC in these files.
  const iso = text.replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T').replace(/(\.\d{3})\d+/, '$1')
  return inRange(Date.parse(/T\d\d:\d\d[\d:.]*$/.test(iso) ? `${iso}Z` : iso))
}

const nodeSchema = z.object({ parent: z.catch(z.nullable(z.string()), null), message: z.optional(z.unknown()) })
const childrenSchema = z.object({ children: z.array(z.string()) })

/** The nodes of a `mapping`. A node that does not name its parent is below the node that names it as a child. */
export function nodesOf(
  mapping: Readonly<Record<string, unknown>>,
): readonly { readonly id: string; readonly parentId: string | null; readonly stored: unknown }[] {
  const nodes = Object.entries(mapping)
  const parents = new Map(
    nodes.flatMap(([id, node]) => (childrenSchema.safeParse(node).data?.children ?? []).map((child) => [child, id] as const)),
  )
  return nodes.map(([id, node]) => {
    const read = nodeSchema.safeParse(node)
    return { id, parentId: read.data?.parent ?? parents.get(id) ?? null, stored: read.success ? read.data.message : node }
  })
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
