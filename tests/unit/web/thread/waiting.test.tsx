// A model that says nothing for long is told of in words to whoever looks, too.
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { WaitingSign } from '../../../../web/features/thread/waiting.tsx'

test.each([
  [false, true],
  [true, false],
])('waiting for long: %s; for screen readers alone: %s', (isLong, isHidden) => {
  const drawn = renderToStaticMarkup(<WaitingSign isLong={isLong} />)
  expect(drawn).toContain('Waiting for the answer')
  expect(drawn.includes('sr-only')).toBe(isHidden)
})
