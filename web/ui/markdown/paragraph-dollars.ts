/**
 * Tells if two dollars of the current paragraph are still open. Asked at each line that could close them, so the result is cached and no
 * line is read twice.
 */
import type { Event, Point, Token, TokenizeContext } from 'micromark-util-types'
import { hasOpenDollars } from '../streaming-markdown/math-rules.ts'

type ReadSoFar = { readonly paragraph: Token; readonly end: Point; readonly isOpen: boolean }

/** Keyed by the parser's event list, because the context object is copied for every call. */
const readSoFar = new WeakMap<readonly Event[], ReadSoFar>()

export const isWithinDollars = (parser: TokenizeContext, end: Point): boolean => {
  const before = readSoFar.get(parser.events)
  const isKnown = before !== undefined && isUnfinished(before.paragraph) && before.end.offset <= end.offset
  const paragraph = isKnown ? before.paragraph : openParagraph(parser)
  if (!paragraph) return false
  const start = isKnown ? before.end : paragraph.start
  const dollarsSince = start.offset < end.offset && hasOpenDollars(parser.sliceSerialize({ start, end }))
  const isOpen = dollarsSince !== (isKnown && before.isOpen)
  readSoFar.set(parser.events, { paragraph, end, isOpen })
  return isOpen
}

const openParagraph = ({ events }: TokenizeContext): Token | null => {
  const last = events.findLast(([kind, token]) => kind === 'enter' && token.type === 'content')?.[1]
  return last && isUnfinished(last) ? last : null
}

/** The parser sets the end of a token when it exits it. */
const isUnfinished = (token: Token): boolean => !('end' in token)
