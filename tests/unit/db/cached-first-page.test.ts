// Reading the first-page cache: any value that is not of this version, this user and the last day counts as absent.
import { expect, test } from 'vitest'
import {
  type CachedFirstPage,
  firstPageKey,
  firstPageTtl,
  firstPageVersion,
  parseCachedFirstPage,
  readCachedFirstPage,
} from '../../../worker/db/first-page.ts'
import { FakeKv } from '../../support/fake-kv.ts'

const nowMs = 1_800_000_000_000
const thread = { id: 'thread', userId: 'ada', title: null, status: 'ready', createdAt: 1, updatedAt: 2 }
const message = { id: 'm', threadId: 'thread', userId: 'ada', parentId: null, message: { id: 'm', role: 'user', parts: [] } }
const rows = {
  settings: { id: 'ada', userId: 'ada', mode: 'dark' },
  model: null,
  customer: null,
  organizationCustomers: [],
  usage: null,
  user: null,
  threads: [thread],
  projects: [{ id: 'tea', name: 'Tea shop', icon: null, color: 'green', createdAt: 1, updatedAt: 2 }],
}
const whole = {
  version: firstPageVersion,
  userId: 'ada',
  cookie: '00',
  writtenAtMs: nowMs,
  rows,
  recent: [
    { ...thread, project: null, model: null, messages: [message] },
    { ...thread, project: { id: 'tea', name: 'Tea shop', icon: null, color: 'green' }, model: null, messages: [message] },
  ],
}
const parse = (value: unknown) => parseCachedFirstPage(JSON.stringify(value), 'ada', nowMs)

test('a valid value is returned unchanged', () => {
  expect(parse(whole)).toEqual(whole)
})

test.each<[string, unknown]>([
  ['nothing', null],
  ['a list', []],
  ['a text', 'first page'],
  ['an older version', { ...whole, version: '0-0' }],
  ['no version', { ...whole, version: undefined }],
  ['another user', { ...whole, userId: 'ben' }],
  ['no cookie', { ...whole, cookie: 1 }],
  ['a day old', { ...whole, writtenAtMs: nowMs - firstPageTtl.ms }],
  ['no time', { ...whole, writtenAtMs: null }],
  ['no rows', { ...whole, rows: null }],
  ['threads that are no list', { ...whole, rows: { ...rows, threads: {} } }],
  ['a thread without its time', { ...whole, rows: { ...rows, threads: [{ ...thread, updatedAt: undefined }] } }],
  ['a thread that is none', { ...whole, rows: { ...rows, threads: [null] } }],
  ['a setting of another type', { ...whole, rows: { ...rows, settings: { id: 'ada', userId: 'ada', mode: 7 } } }],
  ['no projects', { ...whole, rows: { ...rows, projects: undefined } }],
  ['a project without its time', { ...whole, rows: { ...rows, projects: [{ id: 'tea', name: 'Tea shop', createdAt: 1 }] } }],
  ['no recent threads', { ...whole, recent: undefined }],
  ['a recent thread without messages', { ...whole, recent: [{ ...thread, project: null }] }],
  ['a project without its name', { ...whole, recent: [{ ...thread, project: { id: 'tea' }, messages: [message] }] }],
  [
    'a message without content',
    { ...whole, recent: [{ ...thread, project: null, model: null, messages: [{ ...message, message: null }] }] },
  ],
])('%s is ignored', (_, value) => {
  expect(parse(value)).toBeNull()
})

test('a truncated value is ignored', () => {
  expect(parseCachedFirstPage(JSON.stringify(whole).slice(0, -9), 'ada', nowMs)).toBeNull()
})

test('a failing or missing KV counts as an absent value', async () => {
  const kv = new FakeKv()
  kv.values.set(firstPageKey('ada', 'laptop'), JSON.stringify(whole satisfies { version: CachedFirstPage['version'] }))
  const env = { FIRST_PAGES: kv.namespace }
  expect(await readCachedFirstPage(env, 'ada', 'laptop', nowMs)).toEqual(whole)
  kv.faults.push(new Error('KV GET failed: 429 Too Many Requests'))
  expect(await readCachedFirstPage(env, 'ada', 'laptop', nowMs)).toBeNull()
  expect(await readCachedFirstPage(env, 'ada', 'phone', nowMs)).toBeNull()
  expect(await readCachedFirstPage({}, 'ada', 'laptop', nowMs)).toBeNull()
})
