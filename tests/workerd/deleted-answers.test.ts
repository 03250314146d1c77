// A streaming answer whose thread is deleted: undo restores it, and it is stopped when undo is no longer possible. Rule T1.

import { beforeEach, expect, test } from 'vitest'
import { deletedTurnMs } from '../../worker/contract/limits.ts'
import type { AnswerMessage } from '../../worker/contract/threads/messages.ts'
import { content } from './bindings.ts'
import { fireAlarm, setAlarmAt } from './sync-object.ts'
import { connected, me, newUser, recentThreads, type SyncUser, turnArgs, type Wire } from './sync-wire.ts'
import { until } from './until.ts'

let ada: SyncUser
let wire: Wire
beforeEach(async () => {
  ada = await newUser()
  wire = await connected(ada, { queries: [me, recentThreads] })
})

const statusOf = (answerId: string) => content.prepare('select status from generation where id = ?').bind(answerId).first<string>('status')
const ended = (answerId: string, status: string) =>
  until(
    () => statusOf(answerId),
    (now) => now === status,
    `the answer is ${status}`,
  )

test('[T1] the answer of a deleted thread continues and is complete after the deletion is undone', async () => {
  const { threadId, answerId, ...args } = turnArgs('/demo chunks=40 delay=20')
  await wire.confirmed(wire.mutate('threads.send', { threadId, answerId, ...args }))
  await wire.confirmed(wire.mutate('threads.delete', { threadIds: [threadId], at: 1 }))
  await wire.confirmed(wire.mutate('threads.restore', { threadIds: [threadId] }))
  await ended(answerId, 'completed')
  await wire.until(() => wire.row('message', answerId) !== undefined, 'the answer')
  expect((wire.row('message', answerId)?.message as AnswerMessage | undefined)?.metadata.ending).toBe('completed')
})

test('[T1] it ends and is charged while the thread is deleted', async () => {
  const { threadId, answerId, ...args } = turnArgs('/demo chunks=20 delay=20')
  await wire.confirmed(wire.mutate('threads.send', { threadId, answerId, ...args }))
  await wire.confirmed(wire.mutate('threads.delete', { threadIds: [threadId], at: 1 }))
  await ended(answerId, 'completed')
  await wire.confirmed(wire.mutate('threads.restore', { threadIds: [threadId] }))
  await wire.until(() => wire.row('message', answerId) !== undefined, 'the answer')
})

test('[T1] the alarm stops it when the deletion can no longer be undone', async () => {
  const { threadId, answerId, ...args } = turnArgs('/demo chunks=5000 delay=25')
  await wire.confirmed(wire.mutate('threads.send', { threadId, answerId, ...args }))
  await wire.confirmed(wire.mutate('threads.delete', { threadIds: [threadId], at: 1 }))
  await wire.close()
  expect(await statusOf(answerId)).toBe('open')
  await content
    .prepare('update thread set deletedAt = ? where id = ?')
    .bind(Date.now() - deletedTurnMs, threadId)
    .run()
  await setAlarmAt(ada, 'turns', 1)
  await fireAlarm(ada)
  await ended(answerId, 'stopped')
})
