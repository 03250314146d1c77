// Which shared link the operator names.
import { expect, test } from 'vitest'
import { shareIdIn } from '../../../scripts/take-down.ts'

const id = 'abcDEF-_0123456789xyz'

test.each([id, `https://chat.test/share/${id}`, `https://chat.test/share/${id}/`, `https://chat.test/share/${id}/files/0?x#y`])(
  'accepts %s',
  (text) => {
    expect(shareIdIn(text)).toBe(id)
  },
)

test.each([
  '',
  'short',
  `${id}'`,
  `${id} or 1=1`,
  `' or '1'='1' -- aaaaa`,
  `https://chat.test/${id}`,
  `https://chat.test/share/${id}'--`,
  `${id}\n`,
])('refuses %j', (text) => {
  expect(() => shareIdIn(text)).toThrow('name the link as')
})
