/**
 * The thoughts of an open model whose server passes them on as the beginning of its text, between `<think>` and `</think>`. Apart from it
 * they are reasoning like any other. Only at the very beginning: further on the same letters are what the model says about them. The SDK's
 * `extractReasoningMiddleware` takes them out everywhere, behind a stream of its own that every word would pass.
 *
 * Of some models the opening mark stands in the prompt already, so a server that reads no marks begins with the bare thoughts. Those models
 * are known by name (hidden-thoughts.ts). Should a whole answer have no closing mark, it was no thought, and is said as one: late, which is better
 * than lost. Of one that was cut off nobody knows, and nothing is said twice.
 */
import type { ProsePart } from './vendor-model.ts'

const opening = '<think>'
export const closing = '</think>'

/** Of a model that may think without an opening mark. */
export type Unmarked = {
  /** Whether that is to be expected now. */
  readonly isExpected: boolean
  /** A closing mark has come, or a whole answer without any. */
  learn(isMarked: boolean): void
}

type TextPart = Extract<ProsePart, { readonly type: `text-${string}` }>
type Delta = Extract<TextPart, { readonly type: 'text-delta' }>

type Apart = {
  prose(part: ProsePart): void
  /** The vendor says why the model ended. */
  finished(reason: string): void
}

/** For one call. What is told is the same prose, at once but for the few letters that may still become a mark. */
export function thoughtsApart(tell: (part: ProsePart) => void, server: Unmarked | null = null): Apart {
  let phase: 'beginning' | 'thinking' | 'thought' | 'said' = 'beginning'
  /** Of the beginning: what may have to be told as it came. */
  let waiting: TextPart[] = []
  /** Of the beginning, or of the thoughts: letters that are not told yet. */
  let held = ''
  /** What was told as thoughts and may have been the answer. */
  let unmarked: string | null = null
  /** Of the block that it was told in, when that has ended. */
  let unmarkedId: string | null = null
  /** The end of what was said as text, where no mark is expected and one may come; null: it need not be looked at. */
  let lastSaid: string | null = null

  const say = (): void => {
    phase = 'said'
    if (server) lastSaid = ''
    for (const part of waiting) {
      lookAt(part)
      tell(part)
    }
    waiting = []
  }

  const lookAt = (part: ProsePart): void => {
    if (lastSaid === null || part.type !== 'text-delta') return
    lastSaid = (lastSaid + part.delta).slice(-(closing.length + part.delta.length))
    if (!lastSaid.includes(closing)) return
    lastSaid = null
    server?.learn(true)
  }

  const begin = (part: TextPart): void => {
    waiting.push(part)
    if (part.type !== 'text-delta') return
    held += part.delta
    const begun = held.trimStart()
    if (begun.startsWith(opening)) beginToThink({ ...part, delta: begun.slice(opening.length) })
    else if (opening.startsWith(begun)) return
    else if (server?.isExpected) {
      unmarked = ''
      beginToThink({ ...part, delta: held })
    } else say()
  }

  const beginToThink = (part: Delta): void => {
    phase = 'thinking'
    waiting = []
    held = ''
    tell({ type: 'reasoning-start', id: idOf(part) })
    think(part)
  }

  const think = (part: Delta): void => {
    if (unmarked !== null) unmarked += part.delta
    const thoughts = held + part.delta
    const at = thoughts.indexOf(closing)
    const told = at === -1 ? thoughts.slice(0, thoughts.length - beginningOf(closing, thoughts)) : thoughts.slice(0, at)
    held = thoughts.slice(told.length)
    if (told !== '') tell({ type: 'reasoning-delta', id: idOf(part), delta: told })
    if (at === -1) return
    unmarked = null
    server?.learn(true)
    tell({ type: 'reasoning-end', id: idOf(part) })
    phase = 'thought'
    answer({ ...part, delta: held.slice(closing.length) })
  }

  /** The empty lines behind the thoughts belong to neither. */
  const answer = (part: Delta): void => {
    const delta = part.delta.replace(/^\s*[\r\n]/, '')
    if (delta === '') return
    phase = 'said'
    tell({ type: 'text-start', id: part.id })
    tell({ ...part, delta })
  }

  const endOf = (part: TextPart): void => {
    if (phase === 'thinking') {
      if (held !== '') tell({ type: 'reasoning-delta', id: idOf(part), delta: held })
      tell({ type: 'reasoning-end', id: idOf(part) })
    }
    phase = 'said'
    unmarkedId = part.id
  }

  const finished = (reason: string): void => {
    if (reason !== 'stop' || unmarked === null || unmarkedId === null) return
    server?.learn(false)
    tell({ type: 'text-start', id: unmarkedId })
    tell({ type: 'text-delta', id: unmarkedId, delta: unmarked })
    tell({ type: 'text-end', id: unmarkedId })
  }

  const prose: Apart['prose'] = (part) => {
    if (phase === 'said') {
      lookAt(part)
      return tell(part)
    }
    if (!isText(part)) {
      // Whoever tells thoughts as such does not tell them as text.
      if (phase === 'beginning' && part.type === 'reasoning-delta' && part.delta !== '') say()
      return tell(part)
    }
    if (phase === 'beginning' && part.type !== 'text-end') return begin(part)
    if (phase === 'beginning') {
      say()
      return tell(part)
    }
    if (part.type === 'text-end') return endOf(part)
    if (part.type === 'text-start') return
    if (phase === 'thinking') think(part)
    else answer(part)
  }

  return { prose, finished }
}

const isText = (part: ProsePart): part is TextPart => part.type.startsWith('text-')

const idOf = ({ id }: TextPart): string => `thoughts of ${id}`

/** How many letters at the end of a text may be the beginning of a mark. */
function beginningOf(mark: string, text: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) if (mark.startsWith(text.slice(-length))) return length
  return 0
}
