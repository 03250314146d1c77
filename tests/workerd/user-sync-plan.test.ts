// A subscription reaches the user's object: the user's own and an organization's, from the moment it is stored until it ends.
import { expect, test } from 'vitest'
import { newId } from '../../worker/db/new-id.ts'
import { notify } from '../../worker/user-sync/rpc.ts'
import { insert, memberRow, organizationRow } from '../support/rows.ts'
import { connected, env, me, newUser, recentThreads, type SyncUser, turnArgs, type Wire } from './sync-wire.ts'

const dayMs = 86_400_000
const paid = (days: number, status = 'active') =>
  JSON.stringify({ id: 'sub', status, currentPeriodEndMs: Date.now() + days * dayMs, cancelAtPeriodEnd: false })

/** Sends to a PRO model and returns the refusal. */
async function refusalFor(wire: Wire): Promise<string | null> {
  const id = wire.mutate('threads.send', { ...turnArgs('/demo chunks=1 delay=0'), modelId: 'gpt-5.5' })
  await wire.confirmed(id)
  const result = wire.results.get(`${wire.clientID}/${id}`) as { details?: { code: string } } | undefined
  return result?.details?.code ?? null
}

const store = async (user: SyncUser, sql: string, ...binds: string[]) => {
  await env.DB.prepare(sql)
    .bind(...binds)
    .run()
  await notify(env, [user.userId])
}

test('a subscription gives access to PRO models at once until it ends', async () => {
  const ada = await newUser()
  const wire = await connected(ada, { queries: [me, recentThreads] })
  expect(await refusalFor(wire)).toBe('premium_required')
  await insert(env.DB, 'userCustomer', { id: newId(), userId: ada.userId, subscription: paid(30) })
  await notify(env, [ada.userId])
  await expect.poll(() => wire.rowsOf('userCustomer')).toMatchObject([{ subscription: { status: 'active' } }])
  expect(await refusalFor(wire)).toBeNull()
  await store(ada, 'update userCustomer set subscription = ? where userId = ?', paid(-1, 'canceled'), ada.userId)
  await expect.poll(() => wire.rowsOf('userCustomer')).toMatchObject([{ subscription: { status: 'canceled' } }])
  expect(await refusalFor(wire)).toBe('premium_required')
  await wire.close()
})

test('members have PRO while their organization pays and they are members', async () => {
  const ada = await newUser()
  const wire = await connected(ada, { queries: [me, recentThreads] })
  const organization = organizationRow()
  const organizationId = String(organization.id)
  await insert(env.DB, 'organization', organization)
  await insert(env.DB, 'organizationCustomer', { id: newId(), organizationId, subscription: paid(30) })
  expect(await refusalFor(wire)).toBe('premium_required')
  await insert(env.DB, 'member', memberRow(organizationId, ada.userId))
  await notify(env, [ada.userId])
  expect(await refusalFor(wire)).toBeNull()
  await store(ada, 'delete from member where userId = ?', ada.userId)
  expect(await refusalFor(wire)).toBe('premium_required')
  await wire.close()
})
