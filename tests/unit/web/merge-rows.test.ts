// What is on screen while the page's own rows and this browser's are both there.
import { expect, test } from 'vitest'
import { parseInlined } from '../../../web/lib/inlined-page.ts'
import { knownModels, mergeMe, mergeThread, mergeThreads, servedMe, sharedSubscriptions } from '../../../web/sync/merge-rows.ts'
import type { MessageRow, ThreadRow, ThreadWithMessages } from '../../../web/sync/rows.ts'
import type { FirstPage } from '../../../worker/contract/first-page.ts'
import { model, usage } from './build.ts'

const thread = (id: string, updatedAt: number, changes: Partial<ThreadRow> = {}): ThreadRow => ({
  id,
  userId: 'ada',
  title: `${id} ${updatedAt}`,
  status: 'ready',
  streamId: null,
  headId: null,
  createdAt: 1,
  updatedAt,
  deletedAt: null,
  effort: null,
  tokens: null,
  microDollars: null,
  unpriced: null,
  ...changes,
})
const message = (id: string, createdAt: number, updatedAt = createdAt): MessageRow => ({
  id,
  threadId: 't',
  userId: 'ada',
  parentId: null,
  message: { id, role: 'user', parts: [] } as unknown as MessageRow['message'],
  createdAt,
  updatedAt,
  deletedAt: null,
})
const withMessages = (row: ThreadRow, ...messages: MessageRow[]): ThreadWithMessages => ({ ...row, messages, queue: [] })

test('the list: of each thread the newer row, newest first, within the window', () => {
  const local = [thread('a', 5), thread('b', 3), thread('mine', 9)]
  const served = [thread('a', 7), thread('b', 2), thread('served', 6)]
  expect(mergeThreads(local, served, 50).map(({ title }) => title)).toEqual(['mine 9', 'a 7', 'served 6', 'b 3'])
  expect(mergeThreads(local, served, 2).map(({ id }) => id)).toEqual(['mine', 'a'])
  expect(mergeThreads([], served, 50).map(({ id }) => id)).toEqual(['a', 'served', 'b'])
})

test('a change of this browser that moves no time is kept', () => {
  expect(mergeThreads([thread('a', 5, { title: 'Renamed' })], [thread('a', 5)], 50)[0]?.title).toBe('Renamed')
})

test('a thread: served until there is a local one', () => {
  const served = withMessages(thread('t', 5), message('m', 1))
  expect(mergeThread(undefined, served)).toEqual(served)
})

test('a message sent before the thread has arrived stands behind what was served', () => {
  const served = withMessages(thread('t', 5, { title: 'Tides' }), message('a', 1), message('b', 2))
  const local = withMessages(thread('t', 9, { title: null, headId: 'c' }), message('c', 3))
  const merged = mergeThread(local, served)
  expect([merged.title, merged.headId, merged.messages.map(({ id }) => id)]).toEqual(['Tides', 'c', ['a', 'b', 'c']])
})

test('older local rows do not shine through', () => {
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

test('me is what the query would have found', () => {
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
])('a page that says %j says nothing', (text) => {
  expect(parseInlined(text)).toBeNull()
})

test('a page that says something is believed', () => {
  expect(parseInlined(JSON.stringify({ syncToken: 't', firstPage: page }))).toEqual({ syncToken: 't', firstPage: page })
})

const paid = (id: string) => ({ id, status: 'active', currentPeriodEndMs: 2, cancelAtPeriodEnd: false })

test('what was paid is as the record had it for this page; a hint, which may be older, does not speak against kept rows', () => {
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

test('what organizations pay for is merged by the same rule', () => {
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

test('of the catalogue, what the page was served with counts until it is here', () => {
  const [here, served] = [model({ id: 'here' }), model({ id: 'served' })]
  expect(knownModels([], served, undefined)).toEqual([served])
  expect(knownModels([here], served, null)).toEqual([here, served])
  const kept = [here, model({ id: 'served', unavailable: 'model_not_connected' })]
  expect(knownModels(kept, served, here)).toBe(kept)
})
