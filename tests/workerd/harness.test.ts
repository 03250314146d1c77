// The test harness: the built Worker responds, D1 is migrated, and an object survives its eviction.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { expect, test } from 'vitest'

type Bindings = { readonly DB: D1Database; readonly USER_SYNC: DurableObjectNamespace }
const { DB, USER_SYNC } = env as unknown as Bindings
const worker = (exports as unknown as { default: Fetcher }).default

test('the built Worker responds through its fetch handler', async () => {
  const response = await worker.fetch('http://localhost/api/health')
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ environment: 'development' })
})

test('D1 has the tables of the migrations', async () => {
  const { results } = await DB.prepare("select name from sqlite_master where name in ('thread', 'session')").all()
  expect(results).toHaveLength(2)
})

test('an evicted object is a new instance with the same storage', async () => {
  const stub = USER_SYNC.get(USER_SYNC.idFromName('harness'))
  const first = await runInDurableObject(stub, async (instance, state) => {
    await state.storage.put('kept', 1)
    return Object.assign(instance, { marker: 'first' }) && 'marked'
  })
  expect(first).toBe('marked')
  await evictDurableObject(stub)
  const second = await runInDurableObject(stub, async (instance, state) => ({
    isSameInstance: 'marker' in instance,
    kept: await state.storage.get('kept'),
  }))
  expect(second).toEqual({ isSameInstance: false, kept: 1 })
})
