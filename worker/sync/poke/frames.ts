/**
 * A poke as frames, one after the other: its rows are read while it is sent, and no more than one part of them is held. They come one behind
 * the other, so their id need not tell them from other pokes: it is as short as can be.
 */
import { encodeCookie } from '../engine/cookie.ts'
import { encodeDown, type PokePart } from '../protocol/down.ts'
import type { Poke } from './compose.ts'
import { splitTexts } from './split-rows.ts'

const pokeID = 'p'

/**
 * An op that does nothing, told in front of what would begin with a put. The client joins pokes as it likes, and as soon as there is an update
 * among them it loads the puts that stand before any other op in one go, unsorted, and fails on them. Where none stand there, it applies each.
 */
const nothing = { op: 'del', hash: '' } as const

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
    let isGuarded = false
    for (const part of head) {
      if (beginsWithPut(part)) {
        yield encodeDown(['pokePart', { gotQueriesPatch: [nothing], pokeID }])
        isGuarded = true
      }
      yield encodeDown(['pokePart', { ...part, pokeID }])
    }
    for (let part = first; !part.done; part = parts.next()) {
      const guard = !isGuarded && part.value[0]?.startsWith('{"op":"put"') ? `"gotQueriesPatch":[${JSON.stringify(nothing)}],` : ''
      yield `["pokePart",{${guard}"rowsPatch":[${part.value.join(',')}],"pokeID":"${pokeID}"}]`
      isGuarded = true
    }
    yield encodeDown(['pokeEnd', { pokeID, cookie }])
  }
}

/** What a part before the rows says of queries and results; progress is no op. */
const beginsWithPut = ({ desiredQueriesPatches, gotQueriesPatch, mutationsPatch }: PokePart): boolean =>
  desiredQueriesPatches !== undefined || gotQueriesPatch !== undefined || mutationsPatch !== undefined
