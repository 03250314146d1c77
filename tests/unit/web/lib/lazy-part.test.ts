// A component that loads later: its placeholder, and that a loaded one renders at once.
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { lazyPart, preloadAll } from '../../../../web/lib/lazy-part.ts'

const Greeting = ({ name }: { readonly name: string }) => createElement('p', null, `Hello ${name}`)
const drawn = (part: ReturnType<typeof lazyPart<{ readonly name: string }>>) => renderToStaticMarkup(createElement(part, { name: 'Ada' }))

test('shows the placeholder until it is loaded; a loaded one renders in the first pass, without suspending', async () => {
  let loads = 0
  const part = lazyPart(
    async () => {
      loads += 1
      return Greeting
    },
    createElement('i', null, 'Opening'),
  )
  expect(drawn(part)).toBe('<i>Opening</i>')
  part.preload()
  await expect.poll(() => drawn(part)).toBe('<p>Hello Ada</p>')
  expect(loads).toBe(1)
})

test('a failed preload is retried by the next use', async () => {
  const answers = [() => Promise.reject(new Error('no network')), () => Promise.resolve(Greeting)]
  const part = lazyPart<{ readonly name: string }>(() => answers.shift()?.() ?? Promise.reject(new Error('asked too often')))
  part.preload()
  await Promise.resolve()
  expect(drawn(part)).toBe('')
  part.preload()
  await expect.poll(() => drawn(part)).toBe('<p>Hello Ada</p>')
})

test('preloadAll also loads parts that are declared afterwards', async () => {
  const declare = () => lazyPart(() => Promise.resolve(Greeting))
  const before = declare()
  preloadAll()
  const after = declare()
  await expect.poll(() => [drawn(before), drawn(after)]).toEqual(['<p>Hello Ada</p>', '<p>Hello Ada</p>'])
})
