import { expect, test } from 'vitest'
import { formatAge } from '../../../../web/lib/i18n/format-age.ts'

const nowMs = Date.UTC(2026, 10, 28, 12)
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

test.each([
  [0, 'now'],
  [-5_000, 'now'],
  [minuteMs, '1 minute ago'],
  [3 * 60 * minuteMs, '3 hours ago'],
  [7 * dayMs - 1, '6 days ago'],
  [7 * dayMs, 'Nov 21, 2026'],
])('an age of %i ms is shown as %s', (passedMs, text) => expect(formatAge(nowMs - passedMs, nowMs)).toBe(text))
