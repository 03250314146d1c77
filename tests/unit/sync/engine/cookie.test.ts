import { describe, expect, test } from 'vitest'
import { decodeCookie, encodeCookie } from '../../../../worker/sync/engine/versions.ts'

describe('[E9] cookies', () => {
  test.each([
    [0, '00'],
    [1, '01'],
    [35, '0z'],
    [36, '110'],
    [1295, '1zz'],
    [1296, '2100'],
    [Number.MAX_SAFE_INTEGER, 'a2gosa7pa2gv'],
  ])('%d is %s', (version, cookie) => {
    expect(encodeCookie(version)).toBe(cookie)
    expect(decodeCookie(cookie)).toBe(version)
  })

  test('the order of cookies is the order of versions', () => {
    const versions = [0, 1, 9, 10, 35, 36, 37, 1295, 1296, 46_655, 46_656, 1_790_000_000_000, Number.MAX_SAFE_INTEGER]
    const cookies = versions.map(encodeCookie)
    expect(cookies.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(cookies)
    expect(new Set(cookies).size).toBe(cookies.length)
  })

  test.each(['', '0', '1', '000', '010', '01a', '0A', '100', '1a', '00 ', '-01', 'a2gosa7pa2gw', 'z1', '01:02'])(
    '%j is not a cookie',
    (text) => {
      expect(decodeCookie(text)).toBeNull()
    },
  )

  test.each([-1, 1.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1])('%d has no cookie', (version) => {
    expect(() => encodeCookie(version)).toThrow(RangeError)
  })
})
