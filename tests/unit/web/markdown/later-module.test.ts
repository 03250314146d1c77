// A library that is fetched when it is first met: a failure is nobody's unhandled rejection, and the next who asks tries again.
import { expect, test } from 'vitest'
import { laterModule } from '../../../../web/ui/markdown/later-module.ts'

test('whoever asks after a failure tries again, those who ask meanwhile share one attempt, and what has come stays', async () => {
  const attempts: PromiseWithResolvers<string>[] = []
  const library = laterModule(() => {
    const attempt = Promise.withResolvers<string>()
    attempts.push(attempt)
    return attempt.promise
  })
  let told = 0
  library.subscribe(() => told++)

  const first = [library.load(), library.load()]
  attempts[0]?.reject(new Error('Unable to preload CSS'))
  await Promise.all(first)
  expect([attempts.length, library.current(), told]).toEqual([1, null, 0])

  const second = library.load()
  attempts[1]?.resolve('here')
  await second
  await library.load()
  expect([attempts.length, library.current(), told]).toEqual([2, 'here', 1])
})
