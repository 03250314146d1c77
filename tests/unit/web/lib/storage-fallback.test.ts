import { describe, expect, test } from 'vitest'
import { openStorage } from '../../../../web/lib/storage-fallback.ts'

/** A storage that holds these items. `isFull` makes each write fail. */
function storageOf(items: { [key: string]: string }, isFull = () => false): Storage {
  const methods = {
    getItem: (key: string) => items[key] ?? null,
    setItem: (key: string, value: string) => {
      if (isFull()) throw new DOMException('full', 'QuotaExceededError')
      items[key] = value
    },
    removeItem: (key: string) => void delete items[key],
  }
  return new Proxy(items, { get: (_, name) => methods[name as keyof typeof methods] ?? items[name as string] }) as unknown as Storage
}

test('uses a storage that accepts writes, and leaves no probe in it', () => {
  const items = { draft: 'kept' }
  const real = storageOf(items)
  expect(openStorage(() => real)).toEqual({ storage: real, isPersistent: true })
  expect(items).toEqual({ draft: 'kept' })
})

test('keeps items in memory if the access throws', () => {
  const { storage, isPersistent } = openStorage(() => {
    throw new DOMException('denied', 'SecurityError')
  })
  expect(isPersistent).toBe(false)
  storage.setItem('a', '1')
  storage.setItem('b', '2')
  storage.removeItem('a')
  expect([storage.getItem('a'), storage.getItem('b'), storage.length, storage.key(0)]).toEqual([null, '2', 1, 'b'])
})

const fail = () => {
  throw new DOMException('damaged', 'InvalidStateError')
}

/** A storage without items that accepts every access. */
const inOrder: Storage = {
  length: 0,
  key: () => null,
  getItem: () => null,
  setItem: () => undefined,
  removeItem: () => undefined,
  clear: () => undefined,
}

test.each([
  ['reads', ['getItem']],
  ['writes and removals', ['setItem', 'removeItem']],
  ['all accesses', ['getItem', 'setItem', 'removeItem']],
])('keeps items in memory if %s throw', (_, names) => {
  const throwing = Object.fromEntries(names.map((name) => [name, fail]))
  const { storage, isPersistent } = openStorage(() => ({ ...inOrder, ...throwing }))
  expect(isPersistent).toBe(false)
  expect(storage.getItem('a')).toBeNull()
  storage.setItem('a', '1')
  storage.removeItem('b')
  expect(storage.getItem('a')).toBe('1')
})

describe('a full storage', () => {
  const open = (items: { [key: string]: string }, isFull = () => true) => openStorage(() => storageOf(items, isFull)).storage

  test('still returns its items, and a newer value wins', () => {
    const storage = open({ draft: 'old', mode: 'chat' })
    storage.setItem('draft', 'new')
    expect([storage.getItem('draft'), storage.getItem('mode'), storage.length]).toEqual(['new', 'chat', 2])
  })

  test('loses an item that is removed', () => {
    const items = { draft: 'old' }
    const storage = open(items)
    storage.removeItem('draft')
    expect([storage.getItem('draft'), items]).toEqual([null, {}])
  })

  test('accepts writes again when there is space', () => {
    let isFull = true
    const items: { [key: string]: string } = {}
    const storage = open(items, () => isFull)
    isFull = false
    storage.setItem('draft', 'text')
    expect(items).toEqual({ draft: 'text' })
  })
})
