import { expect, test } from 'vitest'
import { isFrom } from '../../../../web/features/shell/share/continue-page.tsx'

const page = 'https://parley.example/share/abc'

test.each([page, `${page}?utm_source=mail`, `${page}#top`])('a copy starts for a visitor from the shared page: %s', (referrer) =>
  expect(isFrom(referrer, page)).toBe(true),
)
test.each(['', 'https://parley.example/', `${page}x`, `https://evil.example/?${page}`, 'https://evil.example/share/abc'])(
  'a copy waits for a confirmation: %s',
  (referrer) => expect(isFrom(referrer, page)).toBe(false),
)
