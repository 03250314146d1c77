// The test harness: the storage of an object survives its eviction.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'

const { USER_SYNC } = env as unknown as { readonly USER_SYNC: DurableObjectNamespace }

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
