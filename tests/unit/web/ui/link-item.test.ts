// The age of a shared link.
import { expect, test } from 'vitest'
import { createdText } from '../../../../web/ui/link-item.tsx'

const nowMs = Date.UTC(2026, 10, 28, 12)
const dayMs = 86_400_000

test.each([
  [-5_000, 'Created just now'],
  [59_000, 'Created just now'],
  [60_000, 'Created 1 minute ago'],
  [7 * dayMs - 1, 'Created 6 days ago'],
  [7 * dayMs, 'Created Nov 21, 2026'],
])('a link that is %i ms old is shown as %s', (passedMs, text) => {
  expect(createdText(nowMs - passedMs, nowMs)).toBe(text)
})
