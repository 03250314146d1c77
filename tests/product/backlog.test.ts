// A long time offline with more pending writes than the burst limit: the real client delivers all of them without user action, over any
// number of connections. Rules: worker/sync/SPEC.md, R2, R3, R6, P2.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mutators } from '../../worker/contract/mutators.ts'
import { newGuest } from '../support/guest.ts'
import { type Product, startProduct } from '../support/product.ts'
import { openRecord } from '../support/record-file.ts'
import { connectZero } from '../support/zero-client.ts'
import { TamperedSocket } from './tampered-socket.ts'

/** Thirty writes at once and three hundred frames: the first limit is always reached, the second on a quick machine. */
const limits = { MUTATION_BURST: '30', MUTATIONS_PER_SECOND: '100' }
const waiting = 500

let product: Product
beforeAll(async () => {
  TamperedSocket.install()
  product = await startProduct({ env: limits })
})
afterAll(async () => {
  await product?.stop()
})

test(`[R3] ${waiting} writes made offline arrive once and in order without user action`, async () => {
  const guest = await newGuest(product.url)
  const { zero, close } = await connectZero(guest)
  const states: string[] = []
  zero.connection.state.subscribe(({ name }) => void states.push(name))
  await product.kill9()
  const writes = Array.from({ length: waiting }, (_, i) => zero.mutate(mutators.settings.update({ nickname: `n${i}` })))
  for (const { client } of writes) expect(await client).toMatchObject({ type: 'success' })
  await product.restart()
  const results = await Promise.all(writes.map(({ server }) => server))
  expect(new Set(results.map(({ type }) => type))).toEqual(new Set(['success']))
  expect(new Set(states)).toEqual(new Set(['connecting', 'connected']))
  const kinds = new Set(TamperedSocket.all.flatMap(({ errors }) => errors.map(({ kind }) => kind)))
  expect(kinds).toContain('MutationRateLimited')
  expect([...kinds].filter((kind) => kind !== 'MutationRateLimited' && kind !== 'ServerOverloaded')).toEqual([])
  await close()

  await product.kill9()
  const record = openRecord(product.stateDir)
  const setting = record.prepare('select nickname from setting where userId = ?').get(guest.userId)
  expect(setting?.nickname).toBe(`n${waiting - 1}`)
  const updates = record
    .prepare(`select count(*) n from contentChange where scope = 'user:' || ? and tbl = 'setting' and op = 'u'`)
    .get(guest.userId)
  expect(updates?.n).toBe(waiting)
  record.close()
})
