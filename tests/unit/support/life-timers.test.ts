// Timers of an object in memory belong to one instance, and fire when the test advances the clock.
import { expect, test } from 'vitest'
import { memoryObject } from '../../support/node-object/memory-object.ts'
import { installPlatform } from '../../support/node-object/memory-sockets.ts'

installPlatform()

function waiting() {
  const rung: string[] = []
  const object = memoryObject(() => ({
    wait: (name: string, ms: number) => setTimeout(() => rung.push(name), ms),
    waitLater: async (name: string, ms: number) => {
      await Promise.resolve()
      setTimeout(() => rung.push(name), ms)
    },
    forget: (timer: NodeJS.Timeout) => clearTimeout(timer),
  }))
  return { object, rung }
}

test('they fire when they are due, the earliest first, and once', async () => {
  const { object, rung } = waiting()
  object.awake().wait('second', 2000)
  object.awake().wait('first', 1000)
  await object.awake().waitLater('far', 60_000)
  object.runTimers(Date.now() + 10_000)
  object.runTimers(Date.now() + 10_000)
  expect(rung).toEqual(['first', 'second'])
  object.runTimers(Date.now() + 61_000)
  expect(rung).toEqual(['first', 'second', 'far'])
})

test('a cleared timer does not fire', () => {
  const { object, rung } = waiting()
  object.awake().forget(object.awake().wait('never', 0))
  object.runTimers(Number.MAX_SAFE_INTEGER)
  expect(rung).toEqual([])
})

test.each(['die', 'evict'] as const)('they end with the instance that set them (%s), and not with its successor', (end) => {
  const { object, rung } = waiting()
  const before = object.awake()
  before.wait('before', 0)
  object[end]()
  before.wait('after its end', 0)
  object.awake().wait('successor', 0)
  object.runTimers(Number.MAX_SAFE_INTEGER)
  expect(rung).toEqual(['successor'])
})

test('timers outside of an object are the real ones', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1))
  const timer = setTimeout(() => expect.unreachable(), 0)
  clearTimeout(timer)
  await new Promise((resolve) => setTimeout(resolve, 1))
})
