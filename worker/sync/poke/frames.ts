/**
 * A poke as frames. Its rows are read while it is sent, and memory holds one part. Pokes of a connection do not overlap, so their id can be
 * constant and short.
 */
import { encodeCookie } from '../engine/versions.ts'
import { encodeDown, type PokePart } from '../protocol/down.ts'
import { maxPartChars, maxPartRows } from '../protocol/wire-limits.ts'
import type { Poke } from './compose.ts'

const pokeID = 'p'

/**
 * An op without effect, sent before a poke that would start with a put. The client merges pokes, and if one contains an update it
 * bulk-loads the puts before any other op, unsorted, which fails. Without puts at the start it applies each op.
 */
const nothing = { op: 'del', hash: '' } as const

export type Frames = {
  readonly cookie: string
  /** Nothing that this group sees has changed. */
  readonly isEmpty: boolean
  readonly frames: Iterable<string>
}

/** Reads the first part of the rows, because the cookie depends on whether there is one. */
export function pokeFrames({ baseCookie, version, head, rows }: Poke): Frames {
  const parts = splitTexts(rows)
  const first = parts.next()
  const isEmpty = head.length === 0 && first.done === true
  // An empty poke must not change the cookie: the client drops the patch of a poke whose cookie did not grow, and an empty poke has no patch.
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

/** Queries and results before the rows; progress is not an op. */
const beginsWithPut = ({ desiredQueriesPatches, gotQueriesPatch, mutationsPatch }: PokePart): boolean =>
  desiredQueriesPatches !== undefined || gotQueriesPatch !== undefined || mutationsPatch !== undefined

/** A part is never empty. A row above the limit is sent as its own part. Memory holds one part and the row that did not fit. */
export function* splitTexts(rows: Iterable<string>): Generator<readonly string[], undefined> {
  let part: string[] = []
  let chars = 0
  for (const row of rows) {
    if (part.length > 0 && (part.length >= maxPartRows || chars + row.length > maxPartChars)) {
      yield part
      part = []
      chars = 0
    }
    part.push(row)
    chars += row.length
  }
  if (part.length > 0) yield part
  return undefined
}
