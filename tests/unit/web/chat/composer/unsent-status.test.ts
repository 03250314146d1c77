// The outcome of a message of an earlier page, in a table.
import { expect, test } from 'vitest'
import { defaultChoices } from '../../../../../web/features/chat/composer/draft.ts'
import { resolveUnsentStatus, type UnsentStatus } from '../../../../../web/features/chat/composer/unsent.tsx'
import type { ThreadState } from '../../../../../web/sync/thread.ts'

const content = { text: 'Hello', files: [], choices: defaultChoices, startsThread: false, isTemporary: false, editing: null } as const
const unsent = { messageId: 'm', threadId: 't', ...content, sentAtMs: 500 } as const
type Row = { readonly id: string; readonly createdAt: number; readonly parentId?: string }
const found = (messages: readonly Row[], queue: readonly Row[] = [], isComplete = true) =>
  ({ state: 'found', thread: { id: 't', messages, queue }, isComplete }) as unknown as ThreadState

test.each<[string, ThreadState, boolean, UnsentStatus]>([
  ['without a connection nothing is known', found([]), false, 'unknown'],
  ['while the thread is loading', { state: 'loading' }, true, 'unknown'],
  ['the thread is not there', { state: 'missing' }, true, 'rejected'],
  ['not there, and older messages may follow', found([], [], false), true, 'unknown'],
  ['not there, and nothing follows', found([{ id: 'other', createdAt: 1 }]), true, 'rejected'],
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
])('%s', (_what, shown, isConnected, status) => {
  expect(resolveUnsentStatus(unsent, { shown, isRestorable: false, isConnected })).toBe(status)
})

test('waits while the deleted thread can still be restored, because the message may be one of its rows', () => {
  const state = { isRestorable: true, isConnected: true }
  expect(resolveUnsentStatus(unsent, { ...state, shown: { state: 'missing' } })).toBe('unknown')
  expect(resolveUnsentStatus(unsent, { ...state, shown: found([{ id: 'm', createdAt: 501 }]) })).toBe('confirmed')
})
