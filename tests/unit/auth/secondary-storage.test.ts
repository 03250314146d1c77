// better-auth's secondary storage over the real Upstash client, against a peer on loopback.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createSecondaryStorage } from '../../../worker/auth/secondary-storage.ts'
import { startUpstash, type UpstashPeer } from '../../support/peers/upstash.ts'

let peer: UpstashPeer
beforeAll(async () => {
  peer = await startUpstash()
})
afterAll(() => peer.stop())

const storage = () => createSecondaryStorage(peer)

test('a value comes back as it was stored, letter for letter, and not after its time', async () => {
  const value = JSON.stringify({ session: { id: '1', n: 123 }, name: 'Zoë “Ω” 🦊' })
  await storage().set('session-1', value, 60)
  expect(await storage().get('session-1')).toBe(value)
  expect(peer.keys()).toEqual(['auth:session-1'])
  peer.pass(61)
  expect(await storage().get('session-1')).toBeNull()
})

test('text that looks like a number or JSON stays text', async () => {
  for (const text of ['42', 'true', '{"a":1}', '[1]']) {
    await storage().set('text', text)
    expect(await storage().get('text')).toBe(text)
  }
})

test('a code is taken once', async () => {
  await storage().set('code', 'value', 60)
  expect([await storage().getAndDelete('code'), await storage().getAndDelete('code')]).toEqual(['value', null])
})

test('deleting deletes', async () => {
  await storage().set('gone', 'value')
  await storage().delete('gone')
  expect(await storage().get('gone')).toBeNull()
})

test('a counter starts at one, keeps its first expiry, and starts again after it', async () => {
  const counts = [await storage().increment('limit', 60), await storage().increment('limit', 60)]
  peer.pass(59)
  counts.push(await storage().increment('limit', 60))
  peer.pass(2)
  counts.push(await storage().increment('limit', 60))
  expect(counts).toEqual([1, 2, 3, 1])
})

describe('a Redis that refuses everything', () => {
  const broken = () => createSecondaryStorage({ ...peer, token: 'wrong' })
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)

  test('finds nothing, stores nothing, counts one: D1 is asked instead', async () => {
    expect([await broken().get('x'), await broken().set('x', 'y'), await broken().increment('x', 60)]).toEqual([null, null, 1])
    expect(logged.mock.calls.map(([line]) => String(line))).toEqual(
      Array.from({ length: 3 }, () => expect.stringContaining('redis_failed')),
    )
  })

  test('does not pretend to have forgotten', async () => {
    await expect(Promise.resolve(broken().delete('x'))).rejects.toThrow(/Unauthorized/)
    await expect(Promise.resolve(broken().getAndDelete('x'))).rejects.toThrow(/Unauthorized/)
  })
})
