// The readable name of a session's browser and system, instead of the user agent.
import { expect, test } from 'vitest'
import { loginTimeText } from '../../../../web/features/account/sessions-section.tsx'
import { deviceOf } from '../../../../web/lib/device.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36`, 'desktop', 'Chrome on Windows'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, 'desktop', 'Edge on Windows'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
    'desktop',
    'Safari on macOS',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', 'desktop', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
    'phone',
    'Chrome on iPhone',
  ],
  [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${webkit} Chrome/140.0.0.0 Mobile Safari/537.36`, 'phone', 'Chrome on Android, Pixel 9'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/140.0.0.0 Mobile Safari/537.36`, 'phone', 'Chrome on Android'],
  [`Mozilla/5.0 (Linux; Android 14; SM-X710) ${webkit} Chrome/140.0.0.0 Safari/537.36`, 'tablet', 'Chrome on Android, SM-X710'],
  ['curl/8.9.1', 'program', 'curl'],
  ['', 'program', 'Unknown device'],
  [null, 'program', 'Unknown device'],
])('%s', (userAgent, kind, name) => {
  expect(deviceOf(userAgent)).toEqual({ kind, name })
})

test.each([
  [0, 'Logged in just now'],
  [59_000, 'Logged in just now'],
  [61_000, 'Logged in 1 minute ago'],
  [3 * 3_600_000, 'Logged in 3 hours ago'],
  [6 * 86_400_000, 'Logged in 6 days ago'],
])('%i ms ago is %s', (passedMs, age) => {
  expect(loginTimeText(1_000_000_000_000 - passedMs, 1_000_000_000_000)).toBe(age)
})

test('sessions older than a week show a date', () => {
  expect(loginTimeText(1_000_000_000_000, 1_000_700_000_000)).toMatch(/2001/)
})
