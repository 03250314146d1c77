/** A poke as the frames of one connection. Every frame carries the same id, which is the cookie the poke leads to. */
import { encodeDown } from '../protocol/down.ts'
import type { Poke } from './compose.ts'

export function pokeFrames({ baseCookie, cookie, parts }: Poke): readonly string[] {
  const pokeID = cookie
  return [
    encodeDown(['pokeStart', { pokeID, baseCookie }]),
    ...parts.map((part) => encodeDown(['pokePart', { ...part, pokeID }])),
    encodeDown(['pokeEnd', { pokeID, cookie }]),
  ]
}
