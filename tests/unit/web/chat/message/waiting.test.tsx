// A silence of the model is shown in words after a second, also visually.
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { stubWebStorage } from '../../local-storage.ts'

stubWebStorage('sessionStorage')
const { WaitingSign } = await import('../../../../../web/features/chat/message/waiting.tsx')

test.each([
  ['Kimi K2', 0, 'Waiting for the answer', true],
  ['Kimi K2', 3, 'Kimi K2 is thinking · 3 s', false],
  [undefined, 3, 'Waiting for the answer', false],
])('waiting for %s, after %i s: %s; for screen readers only: %s', (modelName, seconds, text, isHidden) => {
  const drawn = renderToStaticMarkup(<WaitingSign modelName={modelName} seconds={seconds} />)
  expect(drawn).toContain(text)
  expect(drawn.includes('sr-only')).toBe(isHidden)
})
