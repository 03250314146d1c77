/** KV's behaviour that the first-page cache relies on. */
import { describe, expect, test } from 'vitest'

export function kvContract(name: string, open: () => KVNamespace): void {
  describe(`the KV contract on ${name}`, () => {
    test('get returns the last value put, until it is deleted', async () => {
      const kv = open()
      expect(await kv.get('contract')).toBeNull()
      await kv.put('contract', 'é😀', { expirationTtl: 86_400 })
      await kv.put('contract', 'second')
      expect(await kv.get('contract')).toBe('second')
      await kv.delete('contract')
      await kv.delete('contract')
      expect(await kv.get('contract')).toBeNull()
    })

    test('keys with special characters do not collide', async () => {
      const kv = open()
      await kv.put('first-page/ada/s', 'ada')
      expect(await kv.get('first-page/ada')).toBeNull()
      expect(await kv.get('first-page/ada/s/')).toBeNull()
      expect(await kv.get('first-page/ada/s')).toBe('ada')
    })
  })
}
