// A library that loads on first use: a failure causes no unhandled rejection, and the next use retries.
import { expect, test } from 'vitest'
import { lazyModule } from '../../../../../web/ui/markdown/lazy-module.ts'

test('a failure is retried, concurrent calls share one attempt, and a loaded library stays', async () => {
  const attempts: PromiseWithResolvers<string>[] = []
  const library = lazyModule(() => {
    const attempt = Promise.withResolvers<string>()
    attempts.push(attempt)
    return attempt.promise
  })
  let notifications = 0
  library.subscribe(() => notifications++)

  const first = [library.load(), library.load()]
  attempts[0]?.reject(new Error('Unable to preload CSS'))
  await Promise.all(first)
  expect([attempts.length, library.current(), notifications]).toEqual([1, null, 0])

  const second = library.load()
  attempts[1]?.resolve('here')
  await second
  await library.load()
  expect([attempts.length, library.current(), notifications]).toEqual([2, 'here', 1])
})
