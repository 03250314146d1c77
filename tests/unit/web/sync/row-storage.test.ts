import { expect, test, vi } from 'vitest'
import { canStoreRows, createLogSink } from '../../../../web/sync/row-storage.ts'

type Fault = 'none' | 'open throws' | 'open fails' | 'put throws' | 'transaction fails' | 'transaction aborts'

/** The calls of the probe; results arrive in the next tick. */
function factory(fault: Fault): IDBFactory {
  const later = (call: () => unknown) => void queueMicrotask(() => call())
  const transaction: Record<string, unknown> = {
    error: new DOMException('failed', 'UnknownError'),
    objectStore: () => ({
      put: () => {
        if (fault === 'put throws') throw new DOMException('full', 'QuotaExceededError')
        const event = fault === 'transaction fails' ? 'onerror' : fault === 'transaction aborts' ? 'onabort' : 'oncomplete'
        later(() => (transaction[event] as () => void)())
      },
    }),
  }
  const database = { transaction: () => transaction, close: () => undefined, createObjectStore: () => undefined }
  return {
    open: () => {
      if (fault === 'open throws') throw new DOMException('denied', 'SecurityError')
      const request: Record<string, unknown> = { result: database, error: new DOMException('failed', 'UnknownError') }
      later(() => (request[fault === 'open fails' ? 'onerror' : 'onsuccess'] as () => void)())
      return request
    },
  } as unknown as IDBFactory
}

test.each([
  ['none', true],
  ['open throws', false],
  ['open fails', false],
  ['put throws', false],
  ['transaction fails', false],
  ['transaction aborts', false],
] as const)('IndexedDB with the fault "%s" stores rows: %s', async (fault, stores) => {
  expect(await canStoreRows(() => factory(fault))).toBe(stores)
})

test('an access that throws stores no rows', async () => {
  expect(
    await canStoreRows(() => {
      throw new DOMException('denied', 'SecurityError')
    }),
  ).toBe(false)
})

test('a failed write of the sync client is reported and logged; other messages are only logged', () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const onUnstored = vi.fn()
  const sink = createLogSink(onUnstored)
  sink.log('error', { name: 'zero' }, 'Failed to connect')
  expect(onUnstored).not.toHaveBeenCalled()
  sink.log('error', { name: 'zero' }, 'Error during persist', new DOMException('full', 'QuotaExceededError'))
  expect(onUnstored).toHaveBeenCalledOnce()
  expect(error.mock.calls[0]).toEqual(['name=zero', 'Failed to connect'])
  error.mockRestore()
})
