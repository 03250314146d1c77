import { expect, test } from 'vitest'
import { guestName } from '../../../worker/auth/profile.ts'

test('an id always has the same name of two words', () => {
  expect(guestName('V1StGXR8_Z5jdHi6B-myT')).toBe(guestName('V1StGXR8_Z5jdHi6B-myT'))
  expect(guestName('')).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/)
})

test('a thousand guests have hundreds of names', () => {
  const names = new Set(Array.from({ length: 1000 }, (_, index) => guestName(`guest-${index}`)))
  expect(names.size).toBeGreaterThan(400)
})
