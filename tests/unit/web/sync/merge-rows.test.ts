// Rows on screen while both inlined and local rows exist.
import { expect, test } from 'vitest'
import { parseInlined } from '../../../../web/lib/page-settings.ts'
import { knownModels, mergeMe, mergeThread, mergeThreads, servedMe, sharedSubscriptions } from '../../../../web/sync/merge-rows.ts'
import type { MessageRow, ThreadRow, ThreadWithMessages } from '../../../../web/sync/rows.ts'
import type { FirstPage } from '../../../../worker/contract/first-page.ts'
import { model, threadRow, usage } from '../build.ts'

const thread = (id: string, updatedAt: number, changes: Partial<ThreadRow> = {}): ThreadRow =>
  threadRow({ id, userId: 'ada', title: `${id} ${updatedAt}`, updatedAt, ...changes })
const message = (id: string, createdAt: number, updatedAt = createdAt): MessageRow => ({
  id,
  threadId: 't',
  userId: 'ada',
  parentId: null,
  message: { id, role: 'user', parts: [] } as unknown as MessageRow['message'],
  createdAt,
  updatedAt,
  deletedAt: null,
  bookmarkedAt: null,
})
const withMessages = (row: ThreadRow, ...messages: MessageRow[]): ThreadWithMessages => ({ ...row, messages, queue: [] })

test('the list: of each thread the newer row, newest first, within the window', () => {
  const local = [thread('a', 5), thread('b', 3), thread('mine', 9)]
  const served = [thread('a', 7), thread('b', 2), thread('served', 6)]
  expect(mergeThreads(local, served, 50).map(({ title }) => title)).toEqual(['mine 9', 'a 7', 'served 6', 'b 3'])
  expect(mergeThreads(local, served, 2).map(({ id }) => id)).toEqual(['mine', 'a'])
  expect(mergeThreads([], served, 50).map(({ id }) => id)).toEqual(['a', 'served', 'b'])
})

test('a local change without a new time is kept', () => {
  expect(mergeThreads([thread('a', 5, { title: 'Renamed' })], [thread('a', 5)], 50)[0]?.title).toBe('Renamed')
})

test('a thread: inlined until there is a local one', () => {
  const served = withMessages(thread('t', 5), message('m', 1))
  expect(mergeThread(undefined, served)).toEqual(served)
})

test('a message sent before the thread has arrived follows the inlined ones', () => {
  const served = withMessages(thread('t', 5, { title: 'Tides' }), message('a', 1), message('b', 2))
  const local = withMessages(thread('t', 9, { title: null, headId: 'c' }), message('c', 3))
  const merged = mergeThread(local, served)
  expect([merged.title, merged.headId, merged.messages.map(({ id }) => id)]).toEqual(['Tides', 'c', ['a', 'b', 'c']])
})

test('older local rows do not appear', () => {
  const served = withMessages(thread('t', 9, { headId: 'b' }), message('a', 1, 8), message('b', 2))
  const merged = mergeThread(withMessages(thread('t', 5, { headId: 'a' }), message('a', 1)), served)
  expect([merged.headId, merged.messages.map(({ id, updatedAt }) => [id, updatedAt])]).toEqual([
    'b',
    [
      ['a', 8],
      ['b', 2],
    ],
  ])
})

const page = {
  session: { userId: 'ada' },
  user: null,
  settings: null,
  model: null,
  customer: null,
  organizationCustomers: [],
  usage: null,
  threads: [],
  thread: null,
} as unknown as FirstPage

test('the user is the result of the query', () => {
  const user = { id: 'ada', name: 'Ada' } as unknown as NonNullable<FirstPage['user']>
  const settings = { id: 'ada', userId: 'ada' } as unknown as NonNullable<FirstPage['settings']>
  expect(servedMe(page)).toBeUndefined()
  expect(servedMe({ ...page, user, settings, model: model(), usage: usage() })).toEqual({
    ...user,
    setting: { ...settings, model: model() },
    usage: usage(),
    customer: undefined,
  })
})

test.each([
  undefined,
  null,
  '',
  '{',
  'null',
  '{}',
  '{"firstPage":{}}',
  '{"firstPage":{"threads":[]}}',
  '{"firstPage":{"threads":{},"session":{"userId":"a"}}}',
])('a page with %j has no rows', (text) => {
  expect(parseInlined(text)).toBeNull()
})

test('a page with rows is used', () => {
  expect(parseInlined(JSON.stringify({ syncToken: 't', firstPage: page }))).toEqual({ syncToken: 't', firstPage: page })
})

const paid = (id: string) => ({ id, status: 'active', currentPeriodEndMs: 2, cancelAtPeriodEnd: false })

test('payments are those of the page; a cached page, which may be older, does not override local rows', () => {
  const user = { id: 'ada', name: 'Ada' } as unknown as NonNullable<FirstPage['user']>
  const customer = { id: 'cus', userId: 'ada', subscription: paid('new') }
  const served = { ...page, user, customer }
  const local = { ...user, name: 'Kept', setting: undefined, usage: undefined, customer: { ...customer, subscription: paid('old') } }
  expect(mergeMe(local, served, true)).toEqual({ ...local, customer })
  expect(mergeMe(local, served, false)).toBe(local)
  expect(mergeMe(local, null, true)).toBe(local)
  expect(mergeMe(undefined, served, false)?.customer).toEqual(customer)
  expect(mergeMe(undefined, null, false)).toBeUndefined()
})

test('subscriptions of organizations are merged by the same rule', () => {
  const organizationCustomers = [{ id: 'cus', organizationId: 'acme', subscription: paid('new') }]
  const served = { ...page, organizationCustomers }
  const member = { id: 'm', organizationId: 'acme', userId: 'ada', role: 'member', createdAt: 1 }
  const local = [
    { ...member, organization: { customer: { id: 'cus', organizationId: 'acme', subscription: paid('old') } } },
    { ...member, organization: undefined },
  ]
  expect(sharedSubscriptions(local, served, true)).toEqual([paid('new')])
  expect(sharedSubscriptions(local, served, false)).toEqual([paid('old'), undefined])
  expect(sharedSubscriptions([], served, false)).toEqual([paid('new')])
  expect(sharedSubscriptions([], null, false)).toEqual([])
})

test('the inlined catalogue is used until it has synced', () => {
  const [here, served] = [model({ id: 'here' }), model({ id: 'served' })]
  expect(knownModels([], served, undefined)).toEqual([served])
  expect(knownModels([here], served, null)).toEqual([here, served])
  const kept = [here, model({ id: 'served', unavailable: 'model_not_connected' })]
  expect(knownModels(kept, served, here)).toBe(kept)
})
