// Pokes that the client merges, with the client's own code. Rules: worker/sync/SPEC.md, K4.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { apply } from '../../../../node_modules/@rocicorp/zero/out/replicache/src/sync/patch.js'
import { PokeHandler } from '../../../../node_modules/@rocicorp/zero/out/zero-client/src/client/zero-poke-handler.js'
import { schema } from '../../../../worker/contract/schema.ts'
import { pokeFrames } from '../../../../worker/sync/poke/poke.ts'
import type { PokePart } from '../../../../worker/sync/protocol/down.ts'

type HandlerArgs = ConstructorParameters<typeof PokeHandler>
type Joined = Parameters<HandlerArgs[0]>[0]
type Poke = { readonly head?: readonly PokePart[]; readonly rows?: readonly string[] }

const silentLog = { withContext: () => silentLog, debug: () => undefined, error: () => undefined } as unknown as HandlerArgs[4]

/** The operations of the client's store for merged pokes: bulk loads of puts, which must be sorted, and single ops. */
async function receivedTogether(
  pokes: readonly Poke[],
): Promise<{ readonly runs: readonly (readonly string[])[]; readonly stored: ReadonlyMap<string, unknown> }> {
  const runs: (readonly string[])[] = []
  const stored = new Map<string, unknown>([['e/setting/s', { id: 's', theme: 'default' }]])
  const store = {
    putMany: (_lc: unknown, entries: readonly (readonly [string, unknown])[]) => {
      runs.push(entries.map(([key]) => key))
      for (const [key, value] of entries) stored.set(key, value)
    },
    put: (_lc: unknown, key: string, value: unknown) => stored.set(key, value),
    get: (key: string) => stored.get(key),
    del: (_lc: unknown, key: string) => stored.delete(key),
    clear: () => stored.clear(),
  }
  const done = Promise.withResolvers<void>()
  const onPoke = async ({ pullResponse }: Joined) => {
    if ('patch' in pullResponse)
      await apply(silentLog, store as unknown as Parameters<typeof apply>[1], pullResponse.patch).then(done.resolve, done.reject)
  }
  const tracker = { lmidAdvanced: () => undefined } as unknown as HandlerArgs[5]
  const handler = new PokeHandler(onPoke, done.reject, 'c', schema as unknown as HandlerArgs[3], silentLog, tracker)
  for (const [index, { head = [], rows = [] }] of pokes.entries()) {
    for (const frame of pokeFrames({ baseCookie: `0${index}`, version: index + 1, head, rows }).frames) {
      const [tag, body] = JSON.parse(frame) as [string, never]
      if (tag === 'pokeStart') handler.handlePokeStart(body)
      else if (tag === 'pokePart') handler.handlePokePart(body)
      else handler.handlePokeEnd(body)
    }
  }
  await done.promise
  // Its loop ends in the next tick.
  await sleep(0)
  return { runs, stored }
}

const put = (id: string) => `{"op":"put","tableName":"thread","value":{"id":"${id}"}}`
const update = '{"op":"update","tableName":"setting","id":{"id":"s"},"merge":{"nickname":"Ada"}}'
const got: PokePart = { gotQueriesPatch: [{ op: 'put', hash: 'h' }] }
const desiredQueries: PokePart = { desiredQueriesPatches: { c: [{ op: 'put', hash: 'h' }] } }
const clear: PokePart = { rowsPatch: [{ op: 'clear' }] }

test.each<[string, Poke[]]>([
  ['new rows, one poke after the other', [{ rows: [put('z')] }, { rows: [put('m')] }, { rows: [put('a')] }, { rows: [update] }]],
  ['new rows in one poke', [{ rows: [put('z'), put('a')] }, { rows: [update] }]],
  ['queries and rows', [{ head: [desiredQueries] }, { head: [got], rows: [put('z'), put('a')] }, { rows: [update, put('b')] }]],
  ['a clear and everything anew', [{ head: [clear, { ...desiredQueries, ...got }], rows: [put('z'), put('a')] }, { rows: [update] }]],
])('[K4] the client never bulk-loads unsorted puts: %s', async (_what, pokes) => {
  const { runs, stored } = await receivedTogether(pokes)
  for (const run of runs) expect(run).toEqual(run.toSorted())
  expect(stored.get('e/setting/s')).toMatchObject({ nickname: 'Ada' })
  for (const id of ['z', 'a']) expect(stored.get(`e/thread/${id}`)).toEqual({ id })
})

test('[K4] without updates the client sorts them, and the op without effect is harmless', async () => {
  const { runs, stored } = await receivedTogether([{ head: [desiredQueries, got], rows: [put('z')] }, { rows: [put('a')] }])
  expect(runs).toEqual([['d/c/h', 'e/thread/a', 'e/thread/z']])
  expect([...stored.keys()].sort()).toEqual(['d/c/h', 'e/setting/s', 'e/thread/a', 'e/thread/z', 'g/h'])
})
