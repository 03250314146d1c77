import { describe, expect, test } from 'vitest'
import {
  type AlarmTask,
  alarmTask,
  type Ended,
  settleBackoffMs,
  type TurnRecord,
  type TurnState,
} from '../../../worker/chat/turn/turn-state.ts'
import { generationHeartbeatMs, generationMaxMs } from '../../../worker/contract/limits.ts'

const turn: TurnRecord = {
  generationId: 'generation',
  userId: 'user',
  threadId: 'thread',
  parentId: 'parent',
  model: { id: 'model', name: 'Model', icon: 'icon', credits: 1 },
  mode: 'chat',
  demo: false,
  title: null,
  givenChunks: 1,
  requestSent: false,
  startedAtMs: 1000,
}
const ended: Ended = { ending: 'completed', failure: null, endedAtMs: 5000 }
const settled: TurnState = { phase: 'settled', turn, ended, settledAtMs: 6000 }

describe('alarmTask', () => {
  const cases: { name: string; state: TurnState; live: boolean; nowMs: number; task: AlarmTask }[] = [
    { name: 'never started', state: { phase: 'absent' }, live: false, nowMs: 0, task: 'none' },
    { name: 'writing', state: { phase: 'running', turn }, live: true, nowMs: 9000, task: 'wait' },
    { name: 'writing for too long', state: { phase: 'running', turn }, live: true, nowMs: 1000 + generationMaxMs, task: 'end-overdue' },
    { name: 'left behind', state: { phase: 'running', turn }, live: false, nowMs: 9000, task: 'recover' },
    { name: 'ended, not in D1', state: { phase: 'ended', turn, ended, attempts: 3 }, live: false, nowMs: 9000, task: 'settle' },
    { name: 'settled', state: settled, live: false, nowMs: 9000, task: 'none' },
  ]
  test.each(cases)('$name', ({ state, live, nowMs, task }) => expect(alarmTask(state, live ? turn.startedAtMs : null, nowMs)).toEqual(task))
})

test('reserved credits are settled within a quarter of an hour, whatever the model does', () => {
  expect(generationMaxMs + generationHeartbeatMs + settleBackoffMs(0)).toBeLessThan(15 * 60_000)
})

test('an ending that D1 does not accept is retried with growing delays, at least once a minute', () => {
  expect([0, 1, 2, 3, 5, 6, 50].map(settleBackoffMs)).toEqual([1000, 2000, 4000, 8000, 32_000, 60_000, 60_000])
})
