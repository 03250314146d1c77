import { describe, expect, test } from 'vitest'
import { parsePublicUrls, SettingError } from '../../../../web/lib/public-urls.ts'

const origin = 'https://parley.example'

describe('public addresses', () => {
  test('default to the page’s origin, also when empty', () => {
    const own = { apiUrl: origin, syncUrl: origin }
    expect(parsePublicUrls({}, origin)).toEqual(own)
    expect(parsePublicUrls({ VITE_PUBLIC_API_URL: '', VITE_PUBLIC_SYNC_URL: '' }, origin)).toEqual(own)
  })

  test('lose a trailing slash', () => {
    expect(
      parsePublicUrls({ VITE_PUBLIC_API_URL: 'http://localhost:9000/', VITE_PUBLIC_SYNC_URL: 'https://sync.example/zero/' }, origin),
    ).toEqual({
      apiUrl: 'http://localhost:9000',
      syncUrl: 'https://sync.example/zero',
    })
  })

  test.each([
    'localhost:8787',
    'ws://sync.example',
    'wss://sync.example',
    '/api',
    'javascript:alert(1)',
    'https://',
    'https://a.example/?x=1',
    'https://a.example/#x',
  ])('%s is refused by name', (value) => {
    expect(() => parsePublicUrls({ VITE_PUBLIC_API_URL: value }, origin)).toThrow(SettingError)
    expect(() => parsePublicUrls({ VITE_PUBLIC_API_URL: value }, origin)).toThrow(/^Invalid base URL: VITE_PUBLIC_API_URL /)
    expect(() => parsePublicUrls({ VITE_PUBLIC_SYNC_URL: value }, origin)).toThrow(/^Invalid base URL: VITE_PUBLIC_SYNC_URL /)
  })

  test('only the sync server is limited to one path component, like its client', () => {
    expect(() => parsePublicUrls({ VITE_PUBLIC_SYNC_URL: 'https://a.example/b/c' }, origin)).toThrow(/at most one path component/)
    expect(parsePublicUrls({ VITE_PUBLIC_API_URL: 'https://a.example/b/c' }, origin).apiUrl).toBe('https://a.example/b/c')
  })
})
