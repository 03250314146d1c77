/**
 * A poke as frames, one after the other: its rows are read while it is sent, and no more than one part of them is held. They come one behind
 * the other, so their id need not tell them from other pokes: it is as short as can be.
 */
import { encodeCookie } from '../engine/cookie.ts'
import { encodeDown } from '../protocol/down.ts'
import type { Poke } from './compose.ts'
import { splitTexts } from './split-rows.ts'

const pokeID = 'p'

export type Frames = {
  readonly cookie: string
  /** Nothing this group sees has changed. */
  readonly isEmpty: boolean
  readonly frames: Iterable<string>
}

/** Reads the first part of the rows: whether there is one decides about the cookie. */
export function pokeFrames({ baseCookie, version, head, rows }: Poke): Frames {
  const parts = splitTexts(rows)
  const first = parts.next()
  const isEmpty = head.length === 0 && first.done === true
  // An empty poke must leave the cookie where it is: the client drops the patch of a poke whose cookie did not grow, and there is none.
  const cookie = isEmpty && baseCookie !== null ? baseCookie : encodeCookie(version)
  return { cookie, isEmpty, frames: framesOf() }

  function* framesOf(): Generator<string> {
    yield encodeDown(['pokeStart', { pokeID, baseCookie }])
    for (const part of head) yield encodeDown(['pokePart', { ...part, pokeID }])
    for (let part = first; !part.done; part = parts.next())
      yield `["pokePart",{"rowsPatch":[${part.value.join(',')}],"pokeID":"${pokeID}"}]`
    yield encodeDown(['pokeEnd', { pokeID, cookie }])
  }
}
