// Concurrency over the sync socket of the running product: credits, first connects, floods. The results are read from D1.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditsPerDay } from '../../worker/contract/limits.ts'
import { newGuest } from '../support/guest.ts'
import { fixedPrices, type Product, startProduct } from '../support/product.ts'
import { openRecord } from '../support/record-file.ts'
import { expectCleanLog } from './attack-log.ts'
import { connectRaw, freshId, queries, type RawClient, sendArgs } from './attack-wire.ts'

let product: Product
beforeAll(async () => {
  product = await startProduct({ env: fixedPrices })
})
afterAll(async () => product?.stop())

/** Queries the database file of the product. */
function fromRecord<Row>(sql: string, ...values: string[]): Row[] {
  const record = openRecord(product.stateDir, true)
  try {
    return record.prepare(sql).all(...values) as Row[]
  } finally {
    record.close()
  }
}

const settled = (wire: RawClient) =>
  wire.until(() => [...wire.rows].every(([key, row]) => !key.startsWith('thread ') || row.status === 'ready'), 'all threads ready')

test('fifty concurrent sends over five sockets spend no more than the daily limit, and the ledger agrees', async () => {
  const guest = await newGuest(product.url)
  const wires = await Promise.all(Array.from({ length: 5 }, () => connectRaw(guest, { queries })))
  const answers = await Promise.all(wires.flatMap((wire) => Array.from({ length: 10 }, () => wire.mutate('threads.send', sendArgs()))))
  const codes = answers.map((refused) => refused?.details?.code ?? 'accepted')
  expect(Object.groupBy(codes, (code) => code)).toMatchObject({
    accepted: Array.from({ length: creditsPerDay.guest }, () => 'accepted'),
    credits_exhausted: Array.from({ length: 50 - creditsPerDay.guest }, () => 'credits_exhausted'),
  })
  const [first] = wires
  if (!first) throw new Error('five sockets were opened')
  await settled(first)
  const [usage] = fromRecord<{ credits: number }>('select credits from usage where userId = ?', guest.userId)
  const [ledger] = fromRecord<{ credits: number; turns: number }>(
    `select sum(credits) credits, count(*) filter (where kind = 'reserve') turns from creditLedger where userId = ?`,
    guest.userId,
  )
  expect([usage?.credits, ledger?.credits, ledger?.turns]).toEqual([20, 20, 20])
  // A client's clock does not change the day.
  for (const at of [0, Date.now() + 2 * 24 * 60 * 60 * 1000])
    expect((await first.mutate('threads.send', sendArgs({ at })))?.details?.code).toBe('credits_exhausted')
  await Promise.all(wires.map((wire) => wire.close()))
})

test('concurrent connects of one group are all served; of one client only the newest stays connected', async () => {
  const guest = await newGuest(product.url)
  const token = await guest.token()
  const clientGroupID = freshId('group')
  const clients = [freshId('client'), freshId('client'), freshId('client')]
  const wires = await Promise.all(clients.map((clientID) => connectRaw(guest, { token, queries, params: { clientGroupID, clientID } })))
  const [first, second] = wires
  if (!first || !second) throw new Error('three sockets were opened')
  const showsNickname = (wire: RawClient, nickname: string) => [...wire.rows.values()].some((row) => row.nickname === nickname)
  expect(await first.mutate('settings.update', { nickname: 'One' })).toBeNull()
  for (const wire of wires) await wire.until(() => showsNickname(wire, 'One'), 'the first nickname')
  const params = { clientGroupID, clientID: first.clientID }
  const twins = await Promise.all([1, 2, 3].map(() => connectRaw(guest, { token, queries, params })))
  const open = () => twins.filter((wire) => wire.isOpen)
  // A closed socket receives nothing more. When the remaining one has received its frames, all others are closed.
  await expect.poll(() => open().length).toBe(1)
  for (const nickname of ['Two', 'Three']) {
    expect(await second.mutate('settings.update', { nickname })).toBeNull()
    await Promise.all(open().map((wire) => wire.settled()))
    expect(twins.map((wire) => showsNickname(wire, nickname))).toEqual(twins.map(({ isOpen }) => isOpen))
  }
  expect(showsNickname(first, 'Three')).toBe(false)
})

test('two users who claim one group concurrently get separate groups and receive nothing of each other', async () => {
  const [ada, eve] = await Promise.all([newGuest(product.url), newGuest(product.url)])
  const params = { clientGroupID: freshId('group') }
  const wires = await Promise.all([ada, eve].map((guest) => connectRaw(guest, { queries, params })))
  for (const wire of wires) wire.send(wire.pushFrame([wire.mutation(1, 'settings.update', { nickname: 'Mine' })]))
  await Promise.all(wires.map((wire) => wire.settled()))
  expect(wires.map((wire) => wire.errorKind)).toEqual([null, null])
  const owners = fromRecord<{ userId: string }>('select userId from clientProgress where clientGroupID = ?', params.clientGroupID)
  expect(owners.map(({ userId }) => userId).toSorted()).toEqual([ada, eve].map(({ userId }) => userId).toSorted())
})

test('repeated mutations over several sockets are applied once', async () => {
  const guest = await newGuest(product.url)
  const clientGroupID = freshId('group')
  const wires = await Promise.all([1, 2, 3].map(() => connectRaw(guest, { queries, params: { clientGroupID } })))
  const [first, ...others] = wires
  if (!first) throw new Error('three sockets were opened')
  const frame = first.pushFrame([1, 2, 3].map((id) => first.mutation(id, 'threads.send', sendArgs())))
  for (let round = 0; round < 10; round++) for (const wire of wires) wire.send(frame)
  await Promise.all(wires.map((wire) => wire.settled()))
  await settled(first)
  expect(wires.map((wire) => wire.closed)).toEqual([null, null, null])
  expect(fromRecord('select id from thread where userId = ?', guest.userId)).toHaveLength(3)
  await Promise.all([first, ...others].map((wire) => wire.close()))
})

test('floods of desired queries, acks, tokens and hundreds of queries are handled, and the last state counts', async () => {
  const guest = await newGuest(product.url)
  const wire = await connectRaw(guest, { queries })
  const many = Array.from({ length: 520 }, (_, i) => ({
    op: 'put',
    hash: `q${i}`,
    name: 'threads.one',
    args: [{ threadId: `thread-${i}` }],
  }))
  wire.send(['changeDesiredQueries', { desiredQueriesPatch: many }])
  await wire.settled()
  const refused = wire.frames.flatMap(([tag, body]) => (tag === 'transformError' ? (body as unknown as { id: string }[]) : []))
  expect(refused.map(({ id }) => id)).toEqual(many.slice(500 - queries.length).map(({ hash }) => hash))
  for (let i = 0; i < 200; i++) {
    wire.send([
      'changeDesiredQueries',
      { desiredQueriesPatch: [{ op: i % 2 === 0 ? 'del' : 'put', hash: 'me', name: 'me', args: [], ttl: 0 }] },
    ])
    wire.send(['ackMutationResponses', { clientID: wire.clientID, id: i }])
  }
  const token = await guest.token()
  for (let i = 0; i < 50; i++) wire.send(['updateAuth', { auth: token }])
  expect(await wire.mutate('settings.update', { nickname: 'Still here' })).toBeNull()
  await wire.until(() => [...wire.rows.values()].some((row) => row.nickname === 'Still here'), 'the last word')
  const calm = await connectRaw(await newGuest(product.url), { queries })
  expect(await calm.mutate('threads.send', sendArgs())).toBeNull()
  await settled(calm)
  await Promise.all([wire, calm].map((each) => each.close()))
})

test('afterwards no turn is pending, and the log has no errors', async () => {
  expect(fromRecord("select id from thread where status <> 'ready'")).toEqual([])
  expect(fromRecord("select id from generation where status = 'open'")).toEqual([])
  expect(fromRecord('select userId from usage u where credits <> (select sum(credits) from creditLedger where userId = u.userId)')).toEqual(
    [],
  )
  expectCleanLog(product.output, [])
})
