// Constants of specification section 9 that libraries define. An upgrade that changes one fails here.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { identityRetryStepMs, queryTtlMs } from '../../../../worker/contract/limits.ts'

const modules = createRequire(import.meta.url)
  .resolve('@rocicorp/zero')
  .replace(/@rocicorp\/zero\/.*$/, '')
const sonner = readFileSync(`${modules}sonner/dist/index.mjs`, 'utf8')
const zeroFile = (path: string) => readFileSync(`${modules}@rocicorp/zero/out/${path}.js`, 'utf8')

/** The value of a constant, which is a number, a string or a product of numbers. */
function constantOf(source: string, name: string): number | string {
  const text = new RegExp(`(?:const|var|let) ${name} = ([^;]+);`).exec(source)?.[1]
  if (text === undefined) throw new Error(`the package has no constant ${name}`)
  if (text.startsWith("'")) return text.slice(1, -1)
  return text.split('*').reduce((product, factor) => product * Number(factor), 1)
}

test('the toast constants of sonner are those of the specification', () => {
  const constants = {
    TOAST_LIFETIME: 4000,
    VISIBLE_TOASTS_AMOUNT: 3,
    TOAST_WIDTH: 356,
    GAP: 14,
    SWIPE_THRESHOLD: 45,
    TIME_BEFORE_UNMOUNT: 200,
    VIEWPORT_OFFSET: '24px',
    MOBILE_VIEWPORT_OFFSET: '16px',
  }
  expect(Object.fromEntries(Object.keys(constants).map((name) => [name, constantOf(sonner, name)]))).toEqual(constants)
  expect(sonner).toContain('Math.abs(swipeAmount) >= SWIPE_THRESHOLD || velocity > 0.11')
})

test('the Zero client caps the time-to-live of queries at 10 minutes', () => {
  const ttl = zeroFile('zql/src/query/ttl')
  expect([constantOf(ttl, 'DEFAULT_TTL_MS'), constantOf(ttl, 'MAX_TTL_MS')]).toEqual([5 * 60_000, 10 * 60_000])
  expect(queryTtlMs).toBe(constantOf(ttl, 'MAX_TTL_MS'))
})

test('the Zero client runs its periodic work every 5 minutes', () => {
  const periods = [
    ['replicache/src/replicache-impl', 'RECOVER_MUTATIONS_INTERVAL_MS'],
    ['replicache/src/persist/client-gc', 'GC_INTERVAL'],
    ['replicache/src/persist/client-group-gc', 'GC_INTERVAL_MS'],
    ['zero-client/src/client/zero', 'DEFAULT_DISCONNECT_HIDDEN_DELAY_MS'],
  ] as const
  for (const [path, name] of periods) expect(constantOf(zeroFile(path), name), name).toBe(5 * 60_000)
})

test('the Zero client limits the token header to 8192 characters and removes a view after 10 ms', () => {
  expect(zeroFile('zero-client/src/client/zero')).toContain('maxHeaderLength = 1024 * 8,')
  expect(zeroFile('zero-react/src/use-query')).toMatch(/this\.#destroyTimer = setTimeout\(\(\) => \{[\s\S]*?\n\t*\}, 10\);/)
})

test('a linear retry of the fetch client of better-auth waits 1 second', () => {
  const fetchClient = readFileSync(`${modules}@better-fetch/fetch/dist/index.js`, 'utf8')
  expect(fetchClient).toMatch(/type: "linear",\s+attempts: options,\s+delay: 1e3/)
  expect(identityRetryStepMs).toBe(1000)
})
