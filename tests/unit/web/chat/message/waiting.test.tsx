// A long silence of the model is shown in words, also visually.
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { WaitingSign } from '../../../../../web/features/chat/message/waiting.tsx'

test.each([
  [false, true],
  [true, false],
])('waiting for long: %s; for screen readers only: %s', (isLong, isHidden) => {
  const drawn = renderToStaticMarkup(<WaitingSign isLong={isLong} />)
  expect(drawn).toContain('Waiting for the answer')
  expect(drawn.includes('sr-only')).toBe(isHidden)
})
