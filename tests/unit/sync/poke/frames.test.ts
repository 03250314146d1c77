// How pokes start, so that the client can merge them. Rules: worker/sync/SPEC.md, K4.
import { expect, test } from 'vitest'
import { pokeFrames } from '../../../../worker/sync/poke/poke.ts'
import type { PokePart } from '../../../../worker/sync/protocol/down.ts'

const put = '{"op":"put","tableName":"thread","value":{"id":"t"}}'
const update = '{"op":"update","tableName":"thread","id":{"id":"t"},"merge":{"title":"new"}}'
const del = '{"op":"del","tableName":"thread","id":{"id":"t"}}'

/** The ops of a poke in the client's order. */
function opsOf(head: readonly PokePart[], rows: readonly string[]): readonly string[] {
  const { frames } = pokeFrames({ baseCookie: '00', version: 1, head, rows })
  return Array.from(frames, (frame) => JSON.parse(frame) as ['pokePart', PokePart])
    .filter(([tag]) => tag === 'pokePart')
    .flatMap(([, part]) => [
      ...Object.values(part.desiredQueriesPatches ?? {}).flat(),
      ...(part.gotQueriesPatch ?? []),
      ...(part.rowsPatch ?? []),
      ...(part.mutationsPatch ?? []),
    ])
    .map(({ op }) => op)
}

const desiredQueries: PokePart = { desiredQueriesPatches: { c: [{ op: 'put', hash: 'h' }] } }
const got: PokePart = { gotQueriesPatch: [{ op: 'put', hash: 'h' }] }
const progress: PokePart = { lastMutationIDChanges: { c: 1 } }
const results: PokePart = {
  mutationsPatch: [{ op: 'put', mutation: { id: { clientID: 'c', id: 1 }, result: { error: 'app', message: 'No' } } }],
}
const clear: PokePart = { rowsPatch: [{ op: 'clear' }] }

test.each<[string, PokePart[], string[], string[]]>([
  ['rows', [], [put, put], ['del', 'put', 'put']],
  ['progress and rows', [progress], [put], ['del', 'put']],
  ['desired queries', [desiredQueries], [], ['del', 'put']],
  ['got queries and rows', [got], [put], ['del', 'put', 'put']],
  ['results', [results], [], ['del', 'put']],
  ['a clear', [clear], [put], ['clear', 'del', 'put']],
  ['a clear and what follows', [clear, { ...progress, ...desiredQueries, ...got }], [put], ['clear', 'del', 'put', 'put', 'put']],
])('[K4] inserts an op without effect before the first put: %s', (_what, head, rows, ops) => {
  expect(opsOf(head, rows)).toEqual(ops)
})

test.each<[string, PokePart[], string[], string[]]>([
  ['an update', [progress], [update, put], ['update', 'put']],
  ['a deletion', [], [del], ['del']],
  ['progress alone', [progress], [], []],
])('[K4] inserts nothing before another first op: %s', (_what, head, rows, ops) => {
  expect(opsOf(head, rows)).toEqual(ops)
})
