// Addresses that may log in, in one form of their characters.
import { expect, test } from 'vitest'
import * as z from 'zod'
import { normalizedAddress } from '../../../worker/auth/email-address.ts'

test.each([
  ['ada@example.com', 'ada@example.com'],
  [' Ada.Lovelace+notes@Example.COM ', 'Ada.Lovelace+notes@Example.COM'],
  ['jürgen@example.de', 'jürgen@example.de'],
  ['ju\u0308rgen@example.de', 'jürgen@example.de'],
  ['JU\u0308RGEN.MÜLLER@example.de', 'JÜRGEN.MÜLLER@example.de'],
  ['josé_ñ@example.es', 'josé_ñ@example.es'],
  ['用户@example.com', '用户@example.com'],
  ['почта@example.com', 'почта@example.com'],
  ['info@müller.de', 'info@xn--mller-kva.de'],
  ['jürgen@münchen.example', 'jürgen@xn--mnchen-3ya.example'],
  ['иван@почта.рф', 'иван@xn--80a1acny.xn--p1ai'],
  ['ivan@почта.рф', 'ivan@xn--80a1acny.xn--p1ai'],
  ['用户@例子.中国', '用户@xn--fsqu00a.xn--fiqs8s'],
])('%s is read as %s', (typed, read) => {
  expect(normalizedAddress(typed)).toBe(read)
  expect(normalizedAddress(read)).toBe(read)
  // The check that the endpoints of better-auth use.
  expect(z.email().safeParse(read).success).toBe(true)
})

test.each([
  'jürgen',
  '@example.com',
  'jürgen@',
  'jürgen@localhost',
  'jürgen@example.xn--',
  'jürgen@example.x1-y',
  'jür gen@example.com',
  'jürgen..m@example.com',
  '.jürgen@example.com',
  'jürgen@example.com, other@example.com',
  'jürgen<b>@example.com',
  'jü\u202ergen@example.com',
  'jü\u200brgen@example.com',
  'jürgen\r\nbcc:x@example.com',
  'a@b@müller.de',
  'a@müller.de/x',
  'a@müller.de:80',
  `${'ü'.repeat(250)}@example.com`,
])('%j is refused', (typed) => {
  expect(normalizedAddress(typed)).toBeNull()
  expect(z.email().safeParse(typed).success).toBe(false)
})
