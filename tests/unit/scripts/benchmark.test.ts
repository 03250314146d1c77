import { expect, test } from 'vitest'
import { describeMachine, machineInWords, table } from '../../../scripts/lib/benchmark.ts'

test('a ratio limit is shown with two decimals, and compared exactly', () => {
  const point = { at: 1, value: 1.4706, floor: 1, mustHold: { timesFloor: 25 / 17 } }
  expect(table([{ id: 'X1', name: 'something', unit: 'ms', points: [point] }])).toMatch(/≤ 1\.47x floor MISSED$/)
})

test('a run counts if the machine was fast enough before and after it', () => {
  expect(describeMachine(0.039, 0.02)).toEqual({ echoMs: { before: 0.039, after: 0.02, reference: 0.026 }, counts: true })
  for (const [before, after] of [
    [0.04, 0.02],
    [0.02, 0.04],
  ] as const) {
    expect(describeMachine(before, after).counts).toBe(false)
    expect(machineInWords(describeMachine(before, after))).toContain('this run does not count')
  }
  expect(machineInWords(describeMachine(0.0144, 0.02))).toBe(
    'echo of 100 bytes over loopback: 0.014 ms before, 0.020 ms after, reference 0.026 ms',
  )
})
