import { describe, expect, test } from 'vitest'
import { isPublicAddress } from '../../../../worker/chat/tools/public-address.ts'
import { judgeUrl, pageKey } from '../../../../worker/chat/tools/public-url.ts'
import { ownHosts, privateUrls, publicUrls } from '../../../support/private-urls.ts'

test('the corpus is large enough to mean something', () => {
  expect(new Set(privateUrls).size).toBeGreaterThanOrEqual(300)
})

test('no private address passes, however it is spelled', () => {
  expect(privateUrls.filter((url) => judgeUrl(url, ownHosts).ok)).toEqual([])
})

test('every public one does', () => {
  expect(publicUrls.filter((url) => !judgeUrl(url, ownHosts).ok)).toEqual([])
})

test('a refusal says what is wrong, and never repeats the address', () => {
  const reason = (url: string) => {
    const verdict = judgeUrl(url, ownHosts)
    return verdict.ok ? null : verdict.reason
  }
  expect(reason('file:///etc/passwd')).toBe('Only http and https addresses can be read.')
  expect(reason('https://a:b@wikipedia.org/')).toBe('Addresses with a user name or password are not read.')
  expect(reason('https://wikipedia.org:8443/')).toBe('Only the ports 80 and 443 are read.')
  expect(reason('http://169.254.169.254/')).toBe('This address is not on the public internet.')
  expect(reason('nonsense')).toBe('This is not a web address.')
})

describe('addresses that a resolver may give', () => {
  test.each(['1.2.3.4', '8.8.8.8', '2606:4700::1111', '2a00::1'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
  test.each([
    '127.0.0.1',
    '10.0.0.1',
    '::1',
    '::ffff:1.2.3.4',
    'fe80::1%eth0',
    'fd00::1',
    '2002:7f00:1::',
    '64:ff9b::1.2.3.4',
    '2001:db8::1',
    '',
    'wikipedia.org',
    '1.2.3',
    '1.2.3.256',
    '1:2:3',
    '1::2::3',
    'g::1',
    '2606:4700:1:2:3:4:5:6:7',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

test.each([
  ['https://www.wikipedia.org/wiki/Tide/#top', 'http://wikipedia.org/wiki/Tide'],
  ['https://wikipedia.org', 'https://wikipedia.org/'],
])('%s and %s are one page', (a, b) => {
  expect(pageKey(a)).toBe(pageKey(b))
})

test('what is asked for is part of which page it is', () => {
  expect(pageKey('https://wikipedia.org/?q=secret')).not.toBe(pageKey('https://wikipedia.org/'))
})
