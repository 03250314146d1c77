// Writes whose page closed before the server confirmed them.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Mutation } from '../../../../web/sync/act.ts'
import type { Outcome } from '../../../../web/sync/outcome.ts'
import { refusal } from '../../../../worker/contract/errors.ts'
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
const send = mutators.threads.send({ threadId: 't', messageId: 'm', answerId: 'a', modelId: 'x', at: 5, parentId: null, text: 'Hello' })
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
  const { settingsOf } = await import('../../../../web/sync/repeatable-writes.ts')
  expect(settingsOf({ mode: 'dark' }, { mode: 'light', theme: 'paper' })).toEqual({ mode: 'dark', theme: null })
})

test('a message keeps what the composer needs, and is unconfirmed in every page of the browser until its outcome', async () => {
  const page = await openPage()
  const published: string[][] = []
  page.unconfirmedKeys.subscribe(() => published.push([...page.unconfirmedKeys.get()]))
  const outcome = Promise.withResolvers<{ readonly ok: true }>()
  const write = { ...page.writeOf(send, 'no message'), draft: { isTemporary: true } }
  const kept = page.keep(write, outcome.promise)
  expect([...(await openPage()).unconfirmedKeys.get()]).toEqual(['message.m'])
  outcome.resolve({ ok: true })
  await kept
  void page.keep(write, never)
  page.dropWriteOf('message.m')
  expect(published).toEqual([['message.m'], [], ['message.m'], []])
  void page.keep(write, never)
  page.end()
  expect(leftTo(await openPage())).toEqual([write])
})

test('a write that is left to the resender is an orphan at once', async () => {
  const page = await openPage()
  const write = page.writeOf(send, 'no message')
  await page.keep(write, Promise.resolve({ ok: false, refusal: refusal('not_found') }))
  expect(leftTo(page)).toEqual([])
  page.leaveToResender(write)
  expect(leftTo(page)).toEqual([write])
})

test.each([
  '',
  '{',
  'null',
  '7',
  '{}',
  '{"name":"threads.rename","pageId":""}',
  '{"name":"constructor","args":{},"saw":[],"pageId":"closed"}',
])('%j in storage is ignored, and hides nothing', async (stored) => {
  items.set('parley:write:garbled', stored)
  expect(await foundAfter([rename('Winter'), 'Snow'])).toEqual([['Snow', 'Winter']])
})

test.each<[string, readonly ({ readonly value: unknown } | null)[], Outcome, 'sent' | 'changed' | 'gone' | 'title_empty']>([
  ['that is still the earlier one', [{ value: 'Snow' }], { ok: true }, 'sent'],
  ['of a thread without a title', [{ value: null }], { ok: true }, 'sent'],
  ['that arrived, because the server may still refuse it', [{ value: 'Winter' }], { ok: true }, 'sent'],
  ['that was changed elsewhere', [{ value: 'Frost' }], { ok: true }, 'changed'],
  ['of a deleted thread', [null], { ok: true }, 'gone'],
  ['that is refused', [{ value: 'Snow' }, { value: 'Snow' }], { ok: false, refusal: refusal('title_empty') }, 'title_empty'],
  [
    'that is refused because another value has arrived',
    [{ value: 'Snow' }, { value: 'Frost' }],
    { ok: false, refusal: refusal('title_empty') },
    'sent',
  ],
])('a title %s', async (_what, [now = null, later = null], outcome, ending) => {
  const { resend } = await import('../../../../web/sync/resend-writes.tsx')
  const { writeOf } = await load()
  const act = vi.fn((_mutation: Mutation) => ({ client: Promise.resolve({ ok: true as const }), server: Promise.resolve(outcome) }))
  const onLost = vi.fn()
  const write = writeOf(rename('Winter'), 'Snow', null)
  await resend(act, write, { now, read: async () => later }, onLost)
  const isSent = ending !== 'changed' && ending !== 'gone'
  expect(act.mock.calls.map(([{ args }]) => args)).toEqual(isSent ? [write.args] : [])
  const losses = onLost.mock.calls.map(([, loss]) => (typeof loss === 'string' ? loss : loss.code))
  expect(losses).toEqual(ending === 'sent' ? [] : [ending])
})
