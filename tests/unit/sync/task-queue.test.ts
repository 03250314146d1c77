// The lock: one task at a time, in order; waiting pushes share a task. Rules: worker/sync/SPEC.md, P1, P8, R12.
import { expect, test } from 'vitest'
import { TaskQueue } from '../../../worker/sync/object/task-queue.ts'
import { fullWaitingChars, maxMutationsPerBatch, maxWaitingChars, maxWaitingMutations } from '../../../worker/sync/protocol/wire-limits.ts'
import type { PushedMutation } from '../../../worker/sync/push/pending.ts'

const socket = {} as WebSocket
const mutations = (name: string, count = 1): PushedMutation[] =>
  Array.from({ length: count }, (_, i) => ({
    groupID: 'g',
    socket,
    mutation: { type: 'custom', id: i + 1, clientID: name, name, args: [] },
  }))

function watchedQueue() {
  const log: string[] = []
  const queue = new TaskQueue<PushedMutation>(async (pushed) => {
    log.push(`push ${[...new Set(pushed.map(({ mutation }) => mutation.name))].join('+')}`)
    await Promise.resolve()
    return 'done'
  })
  return { log, queue, task: (name: string) => queue.run(async () => void log.push(name)) }
}

test('[P1] waiting pushes share a batch, and other tasks are not overtaken', async () => {
  const { log, queue, task } = watchedQueue()
  const first = queue.push(mutations('a'))
  await Promise.all([
    first.then(() => log.push('a done')),
    task('connect'),
    queue.push(mutations('b')),
    queue.push(mutations('c')),
    task('notify'),
    queue.push(mutations('d')),
  ])
  expect(log.filter((line) => line !== 'a done')).toEqual(['push a', 'connect', 'push b+c', 'notify', 'push d'])
  expect(queue.isLong).toBe(false)
})

test('[R12] counts waiting mutations and characters until they are done', async () => {
  const { queue, task } = watchedQueue()
  const state = () => [queue.isLong, queue.isFull]
  const many = [queue.push(mutations('a', maxWaitingMutations)), queue.push(mutations('b'), 10)]
  expect(state()).toEqual([true, false])
  await Promise.all(many)
  expect(state()).toEqual([false, false])
  const long = [queue.push(mutations('c'), maxWaitingChars), queue.run(async () => undefined, 1)]
  expect(state()).toEqual([true, false])
  long.push(queue.run(() => Promise.reject(new Error('no')), fullWaitingChars - maxWaitingChars).catch(() => undefined))
  expect(state()).toEqual([true, true])
  await Promise.all([...long, task('last')])
  expect(state()).toEqual([false, false])
})

test('[P1] a batch is bounded', async () => {
  const { log, queue } = watchedQueue()
  await Promise.all([queue.push(mutations('a', maxMutationsPerBatch - 1)), queue.push(mutations('b', 2)), queue.push(mutations('c'))])
  expect(log).toEqual(['push a', 'push b+c'])
})

test('[R14] a paced mutation is a task of its own; others share theirs, and the order stays', async () => {
  const log: string[] = []
  const queue = new TaskQueue<PushedMutation>(
    async (pushed) => {
      log.push(pushed.map(({ mutation }) => mutation.name).join('+'))
      return 'done'
    },
    ({ mutation }) => mutation.name === 'paced',
  )
  const frame = (...names: string[]) => names.flatMap((name) => mutations(name))
  await Promise.all([
    queue.push(frame('first')),
    queue.push(frame('a', 'b', 'paced', 'paced', 'c')),
    queue.push(frame('d')),
    queue.push(frame('paced')),
    queue.push(frame('e')),
  ])
  expect(log).toEqual(['first+a+b', 'paced', 'paced', 'c+d', 'paced', 'e'])
})

test('[R14] during the pause before a push, other tasks run', async () => {
  const log: string[] = []
  const pause = Promise.withResolvers<void>()
  let isPaused = true
  const queue = new TaskQueue<PushedMutation>(async (pushed) => {
    if (isPaused) return { after: pause.promise }
    log.push(pushed.map(({ mutation }) => mutation.name).join('+'))
    return 'done'
  })
  const pushes = [queue.push(mutations('a')), queue.run(async () => void log.push('connect')), queue.push(mutations('b'))]
  await queue.run(async () => void log.push('notify'))
  expect(log).toEqual(['connect', 'notify'])
  isPaused = false
  pause.resolve()
  await Promise.all(pushes)
  expect(log).toEqual(['connect', 'notify', 'a', 'b'])
  expect(queue.isLong).toBe(false)
})

test('[X2] a failing task fails only its caller', async () => {
  const { log, queue, task } = watchedQueue()
  const failed = queue.run(async () => {
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  await task('next')
  expect(log).toEqual(['next'])
})

test('[P8] a push that waits for an import lets other tasks run, except other pushes', async () => {
  const log: string[] = []
  let pagesLeft = 2
  const queue: TaskQueue<PushedMutation> = new TaskQueue(async (pushed) => {
    log.push(`push ${pushed[0]?.mutation.name}${pagesLeft > 0 ? ' waits' : ''}`)
    if (pagesLeft <= 0) return 'done'
    void queue.run(async () => void log.push(`page ${pagesLeft--}`))
    return 'later'
  })
  const first = queue.push(mutations('a')).then(() => log.push('a done'))
  const connect = queue.run(async () => void log.push('connect'))
  await Promise.all([first, connect, queue.push(mutations('b')).then(() => log.push('b done'))])
  expect(log.filter((line) => !line.startsWith('page'))).toEqual(expect.arrayContaining(['push a waits', 'connect', 'push a', 'push b']))
  expect(log.indexOf('connect')).toBeLessThan(log.indexOf('push a'))
  expect(log.indexOf('push a')).toBeLessThan(log.indexOf('push b'))
  expect(log.some((line) => line === 'push b waits')).toBe(false)
  expect(queue.isLong).toBe(false)
})
