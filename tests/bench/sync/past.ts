/**
 * Whether what is over costs anything: the figures S8 and S10 of people who have closed many queries, come with many browsers, changed a great
 * deal, or live beside a long feed. Each beside somebody without a past, in the same run.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark, Point } from '../../../scripts/lib/benchmark.ts'
import { type Guest, newGuest } from '../../support/guest.ts'
import { type Product, startProduct, unlimitedWrites } from '../../support/product.ts'
import { openRecord } from '../../support/record-file.ts'
import { connectWire, type WireClient } from '../../support/wire-client.ts'
import { closeAll, connect, crowd, hears, newId, nickname, pageQueries, thread } from '../people.ts'
import { cpuPerPoke } from '../poke-cost.ts'
import { workerdOf } from '../process.ts'
import { interleave, pointOf } from '../sample.ts'

const watchers = 10
const blocks = 5
const writesPerBlock = 60
/** The platform puts an object to sleep after ten seconds of silence. */
const sleepMs = 11_500
const sleepRounds = 2
const sleepersOfEach = 6
const feedRows = 200_000
/** As many of a group as may be alive at once, less the page's own. */
const openAtOnce = 450

async function openAndClose(client: WireClient, times: number, ttl: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const queries = Array.from({ length: openAtOnce }, () => thread(newId('thread')))
    for (const patch of [queries.map((query) => ({ op: 'put', ttl, ...query })), queries.map(({ hash }) => ({ op: 'del', hash }))]) {
      const told = client.next(([tag]) => tag === 'pokeEnd')
      client.send(['changeDesiredQueries', { desiredQueriesPatch: patch }])
      await told
    }
  }
}

/** What somebody has done who now writes with this client. */
const pasts: { readonly [past: string]: (client: WireClient, guest: Guest, size: number) => Promise<void> } = {
  'no past': async () => undefined,
  '4,500 queries closed': (client, _guest, size) => openAndClose(client, 10 * size, 0),
  '450 queries closed and kept': (client) => openAndClose(client, 1, 600_000),
  '300 browsers': async (_client, guest, size) => {
    const token = await guest.token()
    for (let i = 0; i < 300 * size; i++) await (await connectWire({ guest, token, queries: pageQueries })).close()
  },
  '10,000 changes': async (client, _guest, size) => {
    for (let i = 0; i < 20 * size; i++) {
      let last = 0
      for (let n = 0; n < 500; n++) last = client.push('settings.update', nickname(-1 - n))
      await client.confirmed(last)
    }
  },
}
const names = Object.keys(pasts)

type Settled = { readonly guest: Guest; readonly client: WireClient }

async function settle(product: Product, past: string, size = 1): Promise<Settled> {
  const guest = await newGuest(product.url)
  const client = await connect(guest)
  await pasts[past]?.(client, guest, size)
  return { guest, client }
}

/** The feed was long before anybody came, with rows of one person and of others. */
async function withLongFeed<Result>(run: (product: Product, guest: Guest) => Promise<Result>): Promise<Result> {
  const product = await startProduct({ env: unlimitedWrites })
  try {
    const guest = await newGuest(product.url)
    await product.kill9()
    const record = openRecord(product.stateDir)
    record
      .prepare(
        `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
         insert into contentChange (scope, tbl, rowId, op) select 'user:' || iif(i % 2, ?, 'user-' || i % 1000), 'thread', 'thread-' || i, 'u' from n`,
      )
      .run(feedRows, guest.userId)
    record.close()
    await product.restart()
    return await run(product, guest)
  } finally {
    await product.stop()
  }
}

async function firstWrite({ client }: Settled, index: number): Promise<number> {
  const startMs = performance.now()
  const seen = hears(client, index)
  client.push('settings.update', nickname(index))
  await seen
  return performance.now() - startMs
}

const slopes = (points: readonly Point[], most: number): Point[] =>
  points.slice(1).map(({ at, value }) => ({
    at: `${at}, over no past`,
    value: value / (points[0]?.value ?? 1),
    floor: 1,
    unit: 'x',
    mustHold: { most },
  }))

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'S10',
    name: `server CPU of a poke after a past, ${watchers} watchers`,
    unit: 'ms',
    run: () =>
      withLongFeed(async (product, reader) => {
        const server = workerdOf(product.pid)
        const rooms: { readonly name: string; readonly writer: WireClient; readonly readers: readonly WireClient[] }[] = []
        for (const name of names) {
          const { guest, client } = await settle(product, name)
          rooms.push({ name, writer: client, readers: await crowd([guest], watchers) })
        }
        const feed = `a feed of ${feedRows.toLocaleString('en')}`
        rooms.push({ name: feed, writer: await connect(reader), readers: await crowd([reader], watchers) })
        const sides = rooms.map(({ name, writer, readers }) => [
          name,
          async (block: number) => [await cpuPerPoke(server, writer, readers, { from: block * writesPerBlock, writes: writesPerBlock })],
        ])
        const taken = await interleave(
          blocks,
          Object.fromEntries(sides) as { readonly [side: string]: (block: number) => Promise<number[]> },
        )
        for (const { writer, readers } of rooms) await closeAll(writer, ...readers)
        const points = rooms.map(({ name }) => pointOf(name, taken[name] ?? [], null, { mustHold: { most: 0.2 }, moonshot: { most: 0.1 } }))
        return [...points, ...slopes(points, 1.25)]
      }),
  },
  {
    id: 'S8',
    name: 'first mutation after a sleep, after a past',
    unit: 'ms',
    run: async ({ product }) => {
      const shared = await product()
      const people = new Map<string, readonly Settled[]>()
      // Of each a third of what one person has in S10, because there are many of them.
      for (const name of names) people.set(name, await Promise.all(Array.from({ length: sleepersOfEach }, () => settle(shared, name, 0.3))))
      const taken = new Map<string, number[][]>(names.map((name) => [name, []]))
      for (let round = 0; round < sleepRounds; round++) {
        await sleep(sleepMs)
        for (const name of names) taken.get(name)?.push([])
        for (let at = 0; at < sleepersOfEach; at++)
          // In turn: whoever is the first after all have slept wakes the process as well.
          for (const name of [...names.slice(at % names.length), ...names.slice(0, at % names.length)]) {
            const person = people.get(name)?.[at]
            if (person)
              taken
                .get(name)
                ?.at(-1)
                ?.push(await firstWrite(person, round * sleepersOfEach + at))
          }
      }
      for (const settled of people.values()) await closeAll(...settled.map(({ client }) => client))
      const points = names.map((name) => pointOf(name, taken.get(name) ?? [], null, { mustHold: { most: 10 }, moonshot: { most: 6 } }))
      return [...points, ...slopes(points, 1.5)]
    },
  },
]
