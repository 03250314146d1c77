// What the rows say about a message of a closed page, in a table.
import type { Zero } from '@rocicorp/zero'
import { expect, test, vi } from 'vitest'
import { valueNow } from '../../../../web/sync/values-now.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'

type Row = { readonly id: string; readonly createdAt: number; readonly deletedAt?: number }
type Rows = { readonly thread?: { readonly queue: readonly Row[] }; readonly messages?: readonly Row[]; readonly deleted?: readonly Row[] }

/** A client whose queries return these rows, all confirmed. */
const clientWith = ({ thread, messages = [], deleted = [] }: Rows) =>
  ({
    run: async ({ query }: { readonly query: { readonly queryName: string } }) =>
      ({ 'threads.one': thread, 'threads.deleted': deleted, 'messages.byIds': messages })[query.queryName],
  }) as unknown as Zero

const sent = mutators.threads.send({ threadId: 't', messageId: 'm', answerId: 'a', modelId: 'x', at: 500, parentId: null, text: 'Hello' })
const found = (rows: Rows, saw: readonly string[] = ['no message']) =>
  valueNow(clientWith(rows), { name: sent.mutator.mutatorName, args: sent.args, saw })
const thread = { queue: [] }
const missing = { value: 'no message' }
const arrived = { value: 'message' }
const unknown = undefined

test.each<[string, Rows, unknown]>([
  ['not there', { thread }, missing],
  ['as this browser wrote it', { thread, messages: [{ id: 'm', createdAt: 500 }] }, unknown],
  ["with the server's time", { thread, messages: [{ id: 'm', createdAt: 501 }] }, arrived],
  [
    'answered',
    {
      thread,
      messages: [
        { id: 'm', createdAt: 500 },
        { id: 'a', createdAt: 501 },
      ],
    },
    arrived,
  ],
  ['in the queue as this browser wrote it', { thread: { queue: [{ id: 'm', createdAt: 500 }] } }, unknown],
  [
    'in the queue, behind one that is ahead of our clock',
    {
      thread: {
        queue: [
          { id: 'q', createdAt: 800 },
          { id: 'm', createdAt: 801 },
        ],
      },
    },
    unknown,
  ],
  ["in the queue with the server's time", { thread: { queue: [{ id: 'm', createdAt: 777 }] } }, arrived],
  ['in a deleted thread', {}, null],
])('%s', async (_what, rows, value) => {
  expect(await found(rows)).toEqual(value)
})

test('waits while the deleted thread can still be restored, because the message may be one of its rows', async () => {
  vi.useFakeTimers({ now: 1_000_000 })
  expect(await found({ deleted: [{ id: 't', createdAt: 1, deletedAt: 1_000_000 - 34_000 }] })).toBe(unknown)
  expect(await found({ deleted: [{ id: 't', createdAt: 1, deletedAt: 1_000_000 - 36_000 }] })).toBeNull()
  vi.useRealTimers()
})

test('a message that starts its thread is sent again without the thread', async () => {
  expect(await found({}, ['no message', 'no thread'])).toEqual({ value: 'no thread' })
})
