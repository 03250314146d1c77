// Connects of one user are rate limited. Rules: worker/sync/SPEC.md, R9 and R10.
import { expect, test } from 'vitest'
import { connectBurst, newClientGroupBurst } from '../../worker/contract/limits.ts'
import { Browser, signInByCode } from './auth/browser.ts'
import { evict, inside } from './sync-object.ts'
import { connected, connectWire, me, newUser, type SyncUser, type Wire } from './sync-wire.ts'
import { realConnectsKey } from './watched-user-sync.ts'

/** Makes the user's object use the product's limits. */
async function limit(user: SyncUser): Promise<SyncUser> {
  await inside(user, (_object, { storage }) => storage.kv.put(realConnectsKey, true))
  await evict(user)
  return user
}

async function deviceOf(email: string) {
  const browser = new Browser()
  const { userId } = await signInByCode(browser, email)
  const { token } = await browser.json<{ token: string }>('/api/auth/token')
  return { user: { userId, token }, signOut: () => browser.json('/api/auth/sign-out', { body: {} }) }
}

const isRefused = ({ frames }: Wire) => frames.some(([tag, { kind }]) => tag === 'error' && kind === 'ServerOverloaded')
const batches = (user: SyncUser) => inside(user, ({ watch }) => watch.batches.length)

/** The buckets refill meanwhile, so on a slow machine more connects than the burst are accepted. */
async function connectUntilRefused(user: SyncUser, params: () => { [name: string]: string }) {
  const accepted: Wire[] = []
  for (;;) {
    const batchesBefore = await batches(user)
    const wire = await connectWire(user, { params: params() })
    await wire.until(() => wire.frames.length > 0, 'an answer')
    if (isRefused(wire)) return { accepted, refused: wire, batchesBefore }
    accepted.push(wire)
  }
}

test('[R10] refuses new client groups above the burst before D1 is read; stored groups still connect', async () => {
  const user = await limit(await newUser())
  const { accepted, refused, batchesBefore } = await connectUntilRefused(user, () => ({ clientID: 'one-client' }))
  expect(accepted.length).toBeGreaterThanOrEqual(newClientGroupBurst)
  expect(await refused.receives('error')).toMatchObject({ kind: 'ServerOverloaded', minBackoffMs: expect.any(Number) })
  await refused.untilClosed()
  expect(refused.frames).toHaveLength(1)
  expect(await batches(user)).toBe(batchesBefore)
  const known = accepted.at(-1)
  expect(isRefused(await connectWire(user, { params: { clientGroupID: known?.groupID ?? '' } }))).toBe(false)
})

test('[R9] refuses connects above the burst, and serves other users and open connections', async () => {
  const user = await limit(await newUser())
  const other = await limit(await newUser())
  const open = await connected(user, { queries: [me] })
  const { accepted } = await connectUntilRefused(user, () => ({ clientGroupID: open.groupID, clientID: 'one-client' }))
  // The open connection took one.
  expect(accepted.length).toBeGreaterThanOrEqual(connectBurst - 1)
  await open.confirmed(open.mutate('settings.update', { nickname: 'Still here' }))
  await (await connected(other)).close()
})

test('[R9] [R10] connects of an ended session count for no limit and do not read D1 each time', async () => {
  const email = 'limits@connects.test'
  const [{ user: living }, phone] = [await deviceOf(email), await deviceOf(email)]
  await limit(living)
  const open = await connected(living, { queries: [me] })
  await phone.signOut()
  const before = await batches(living)
  for (const _ of Array.from({ length: 4 })) {
    const late = await Promise.all(Array.from({ length: connectBurst / 2 }, () => connectWire(phone.user)))
    for (const wire of late) expect(await wire.receives('error')).toMatchObject({ kind: 'Unauthorized' })
  }
  // A second read only on a machine that takes longer than 10 s for this.
  expect((await batches(living)) - before).toBeLessThan(10)
  await Promise.all(Array.from({ length: newClientGroupBurst / 2 }, async () => (await connected(living)).close()))
  await open.confirmed(open.mutate('settings.update', { nickname: 'Still here' }))
})
