// Validation of names, and their form in a mail.
import { describe, expect, test } from 'vitest'
import { cleanName, fitName, nameInMail, nameSchema } from '../../../worker/contract/names.ts'

const family = '👩🏽\u200D👩\u200D👧'

test.each([
  ['control characters', 'A\u0000d\u0007a\u009f', 'Ada'],
  ['line breaks, which become a space', ' Ada\r\n\u2028Lovelace\t ', 'Ada Lovelace'],
  ['bidi overrides and isolates', '\u202EecalevoL\u202C \u2066Ada\u2069\u200F', 'ecalevoL Ada'],
  ['zero-width characters and soft hyphens', 'A\u200Bd\u200Ca\u2060\uFEFF L\u00ADo\u200D', 'Ada Lo'],
  ['fillers and tag characters', '\u3164Ada\u2800\u{E0041}', 'Ada'],
  ['lone surrogates', 'Ada\uD800', 'Ada'],
])('removes %s', (_, text, clean) => {
  expect(cleanName(text)).toBe(clean)
  expect(nameSchema(32).parse(text)).toBe(clean)
})

test.each([family, '❤️ Ada', '1️⃣ Team', 'Zoë Ångström', '日本語', 'محمد', "O'Brien-Smith, Jr."])('keeps %s', (name) => {
  expect(cleanName(name)).toBe(name)
  expect(nameSchema(60).parse(name)).toBe(name)
})

test.each(['', '  ', '\u200B\u200D', '\uFE0F', 'x'.repeat(33)])('refuses an empty or long name %j', (name) => {
  expect(nameSchema(32).safeParse(name).success).toBe(false)
})

const links = [
  ...[
    'evil．example／login',
    'evil․example/x',
    'еvil。example/x',
    '10.0.0.1/x',
    'https:evil.example',
    'http:\\\\evil.example',
    '[a](//evil.example)',
  ],
  ...['Go to https://evil.example', 'WWW.evil.example', 'evil.example/login', 'h\u200Bttps:/\u200B/evil.example', 'evil.example?a'],
]

test.each(links)('refuses the link in %j, and drops it in names from elsewhere', (name) => {
  expect(nameSchema(60).safeParse(name).success).toBe(false)
  expect(fitName(name, 60)).toBe('')
})

describe('a name from elsewhere', () => {
  test('is cut at a code point boundary', () => {
    expect(fitName(`${'x'.repeat(31)}😀`, 32)).toBe('x'.repeat(31))
    expect(fitName('😀'.repeat(20), 32)).toBe('😀'.repeat(16))
    expect(fitName(`Ada ${family}`, 9)).toBe('Ada 👩🏽')
  })

  test('may have any length', () => {
    for (const part of ['a.', '\u200D', '👩\u200D', 'a://', ' ', '1\uFE0F'])
      expect(fitName(part.repeat(100_000), 32).length).toBeLessThanOrEqual(32)
  })
})

test.each([
  ['Ada Lovelace', 'Ada Lovelace'],
  ['Booking.com', 'Booking. com'],
  ['ada@evil.example', 'ada@evil. example'],
  ['evil。example', 'evil。 example'],
  ['https://evil.example', 'https: //evil. example'],
  ['Smith & Co.', 'Smith & Co.'],
  ['Join\r\nBcc: all', 'Join Bcc: all'],
])('%j in a mail is %j, which no mail program links', (name, text) => {
  expect(nameInMail(name)).toBe(text)
})
