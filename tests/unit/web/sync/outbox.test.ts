// Writes whose page closed before the server confirmed them.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Mutation } from '../../../../web/sync/act.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { stubLocalStorage } from '../local-storage.ts'
import { type Browser, openBrowser } from '../pages.ts'

const load = () => import('../../../../web/sync/outbox.ts')

let items: Map<string, string>
let browser: Browser
beforeEach(() => {
  items = stubLocalStorage()
  browser = openBrowser()
})
afterEach(() => {
  vi.resetModules()
  vi.unstubAllGlobals()
})

const openPage = () => browser.openPage(load)
const rename = (title: string) => mutators.threads.rename({ threadId: 't', title })
const remove = mutators.threads.delete({ threadIds: ['t'], at: 1 })
const plan = { threadId: 't', messageId: 'm', at: 1 }
const putStep = (text: string) => mutators.research.putStep({ ...plan, stepId: 's', text })
const removeStep = mutators.research.removeStep({ ...plan, stepId: 's' })
const never = new Promise<{ readonly ok: true }>(() => undefined)
type Page = Awaited<ReturnType<typeof openPage>>
const leftTo = ({ orphanedWrites }: Page) => [...orphanedWrites.get().values()]
/** Makes the writes in a page that closes. Returns what the next page repeats them for. */
async function foundAfter(...writes: readonly (readonly [mutation: Mutation, saw: unknown])[]) {
  const page = await openPage()
  for (const [mutation, saw] of writes) void page.keep(page.writeOf(mutation, saw), never)
  page.end()
  const next = await openPage()
  return leftTo(next).map((write) => next.foundBy(write))
}

test('a write survives its page until its outcome is known', async () => {
  const page = await openPage()
  void page.keep(page.writeOf(rename('Winter'), 'Snow', null), never)
  expect(await page.keep(page.writeOf(remove, 5), Promise.resolve({ ok: true }))).toEqual({ ok: true })
  page.end()
  const name = 'threads.rename'
  expect(leftTo(await openPage())).toEqual([{ name, args: { threadId: 't', title: 'Winter' }, saw: ['Snow', null] }])
})

test.each<[string, Mutation, unknown, readonly unknown[]]>([
  ['a title', rename(' Winter '), 'Snow', ['Snow', 'Winter']],
  ['a deletion, if the thread has no newer message', remove, 5, [5]],
  ['settings', mutators.settings.update({ mode: 'light' }), { mode: null }, [{ mode: null }, { mode: 'light' }]],
  ['a message taken out of the queue, if it was not sent', mutators.queue.remove({ id: 'q' }), false, [false]],
  ['a new step', putStep('new'), null, [null, 'new']],
  ['a removed step', removeStep, 'old', ['old', null]],
  ['a dismissed plan', mutators.research.dismiss({ ...plan, isDismissed: true }), false, [false, true]],
  ['a start, if its answer is missing', mutators.research.start({ ...plan, answerId: 'a', modelId: 'x' }), false, [false]],
])('is repeated for the value before it and for its own: %s', async (_what, mutation, saw, found) => {
  expect(await foundAfter([mutation, saw])).toEqual([found])
})

test('each message that was taken out of the queue is repeated', async () => {
  const takeOut = (id: string) => [mutators.queue.remove({ id }), false] as const
  expect(await foundAfter(takeOut('q'), takeOut('r'))).toEqual([[false], [false]])
})

test('the last write of a value is repeated for every value that the server may have', async () => {
  expect(await foundAfter([rename('Winter'), 'Snow'], [rename('Ice'), 'Winter'])).toEqual([['Snow', 'Winter', 'Winter', 'Ice']])
  items.clear()
  expect(await foundAfter([putStep('first'), null], [putStep('second'), 'first'], [removeStep, 'second'])).toEqual([
    [null, 'first', 'first', 'second', 'second', null],
  ])
})

test('the outcome of an earlier write of the same value neither counts nor deletes the later one', async () => {
  const page = await openPage()
  const earlier = Promise.withResolvers<{ readonly ok: true }>()
  const kept = page.keep(page.writeOf(rename('Winter'), 'Snow'), earlier.promise)
  void page.keep(page.writeOf(rename('Ice'), 'Winter'), never)
  earlier.resolve({ ok: true })
  expect(await kept).toBeNull()
  page.end()
  expect(leftTo(await openPage()).map(({ args }) => args.title)).toEqual(['Ice'])
})

test('a write without an outcome becomes an orphan', async () => {
  const page = await openPage()
  const write = page.writeOf(putStep('new'), 'old')
  await page.keep(write, Promise.resolve({ ok: true, isPending: true }))
  expect(leftTo(page)).toEqual([write])
})

test('a deletion that was undone is not repeated', async () => {
  const page = await openPage()
  void page.keep(page.writeOf(remove, 5), never)
  page.dropWrite(page.writeOf(remove))
  page.end()
  expect(leftTo(await openPage())).toEqual([])
})

test('signing out deletes the writes, and their outcome counts no longer', async () => {
  const page = await openPage()
  const outcome = Promise.withResolvers<{ readonly ok: true }>()
  const kept = page.keep(page.writeOf(putStep('new'), 'old'), outcome.promise)
  page.deleteWrites()
  outcome.resolve({ ok: true })
  expect([await kept, leftTo(page), [...items.keys()]]).toEqual([null, [], []])
})

test('settings are compared to those on screen', async () => {
  const page = await openPage()
  page.rememberSettings({ mode: 'dark' })
  expect(page.settingsNow({ mode: 'light', theme: 'claude' })).toEqual({ mode: 'dark', theme: null })
})

test.each<[string, { readonly value: unknown } | null, 'resend' | 'changed' | 'gone']>([
  ['that is still the earlier one', { value: 'Snow' }, 'resend'],
  ['of a thread without a title', { value: null }, 'resend'],
  ['that arrived, because the server may still refuse it', { value: 'Winter' }, 'resend'],
  ['that was changed elsewhere', { value: 'Frost' }, 'changed'],
  ['of a deleted thread', null, 'gone'],
])('a title %s', async (_what, now, ending) => {
  const { resend } = await import('../../../../web/sync/resend-writes.tsx')
  const { writeOf } = await load()
  const act = vi.fn((_mutation: Mutation) => ({
    client: Promise.resolve({ ok: true as const }),
    server: Promise.resolve({ ok: true as const }),
  }))
  const onLost = vi.fn()
  const write = writeOf(rename('Winter'), 'Snow', null)
  await resend(act, write, now, onLost)
  expect(act.mock.calls.map(([{ args }]) => args)).toEqual(ending === 'resend' ? [write.args] : [])
  expect(onLost.mock.calls).toEqual(ending === 'resend' ? [] : [[write, ending]])
})
