import { expect, test } from 'vitest'
import { importPatiently, OutdatedPageError } from '../../../web/lib/patient-import.ts'

/** A network that is away for the first `awayFor` attempts. */
function createNetwork(awayFor: number) {
  let attempts = 0
  let pauses = 0
  return {
    load:
      (isGone = false) =>
      async () => {
        attempts += 1
        if (isGone || attempts <= awayFor) throw new TypeError('Failed to fetch dynamically imported module')
        return 'module'
      },
    isReachable: async () => attempts >= awayFor,
    pause: async () => {
      pauses += 1
    },
    attempts: () => attempts,
    pauses: () => pauses,
  }
}

test('a part that is there is loaded at once', async () => {
  const network = createNetwork(0)
  expect(await importPatiently(network.load(), network)).toBe('module')
  expect([network.attempts(), network.pauses()]).toEqual([1, 0])
})

test('out of reach, it waits as long as it takes', async () => {
  const network = createNetwork(20)
  expect(await importPatiently(network.load(), network)).toBe('module')
  expect([network.attempts(), network.pauses()]).toEqual([21, 20])
})

test('gone from a server that answers, the page is outdated', async () => {
  const network = createNetwork(0)
  const loading = importPatiently(network.load(true), network)
  await expect(loading).rejects.toBeInstanceOf(OutdatedPageError)
  await expect(loading).rejects.toMatchObject({ cause: { message: 'Failed to fetch dynamically imported module' } })
  expect(network.attempts()).toBe(2)
})
