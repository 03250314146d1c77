// What became of a message of an earlier page, in a table.
import { expect, test } from 'vitest'
import { type Fate, fateOf } from '../../../../web/features/composer/unsent-fate.ts'
import type { ThreadState } from '../../../../web/sync/hooks.ts'

const unsent = { messageId: 'm', threadId: 't', text: 'Hello', files: [], mode: 'chat', sentAtMs: 500, pageId: 'p' } as const
type Row = { readonly id: string; readonly createdAt: number; readonly parentId?: string }
const found = (messages: readonly Row[], queue: readonly Row[] = [], isComplete = true) =>
  ({ state: 'found', thread: { id: 't', messages, queue }, isComplete, isServed: false }) as unknown as ThreadState

test.each<[string, ThreadState, boolean, Fate]>([
  ['without a connection nothing is known', found([]), false, 'unknown'],
  ['while the thread is loading', { state: 'loading' }, true, 'unknown'],
  ['the thread is not there', { state: 'missing' }, true, 'lost'],
  ['not there, and older messages may follow', found([], [], false), true, 'unknown'],
  ['not there, and nothing follows', found([{ id: 'other', createdAt: 1 }]), true, 'lost'],
  ['as this browser wrote it', found([{ id: 'm', createdAt: 500 }]), true, 'pending'],
  ["with the server's time", found([{ id: 'm', createdAt: 501 }]), true, 'confirmed'],
  [
    'answered',
    found([
      { id: 'm', createdAt: 500 },
      { id: 'a', parentId: 'm', createdAt: 501 },
    ]),
    true,
    'confirmed',
  ],
  ['in the queue as this browser wrote it', found([], [{ id: 'm', createdAt: 500 }]), true, 'pending'],
  [
    'in the queue, behind one that is ahead of our clock',
    found(
      [],
      [
        { id: 'q', createdAt: 800 },
        { id: 'm', createdAt: 801 },
      ],
    ),
    true,
    'pending',
  ],
  ["in the queue with the server's time", found([], [{ id: 'm', createdAt: 777 }]), true, 'confirmed'],
])('%s', (_what, shown, isConnected, fate) => {
  expect(fateOf(unsent, shown, isConnected)).toBe(fate)
})
