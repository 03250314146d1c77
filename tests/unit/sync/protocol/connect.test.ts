// The URL and the sub-protocol of an upgrade. Rules: worker/sync/SPEC.md, C1.
import { describe, expect, test } from 'vitest'
import { decodeSubProtocol, parseConnectUrl } from '../../../../worker/sync/protocol/up.ts'

const urlOf = (path: string, changes: Record<string, string> = {}) => {
  const url = new URL(path, 'http://localhost:8787')
  const params = {
    clientID: 'c1',
    clientGroupID: 'g1',
    userID: 'u',
    baseCookie: '',
    ts: '12.5',
    lmid: '0',
    wsid: 'w',
    profileID: 'p',
    ...changes,
  }
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  return url
}

describe('[C1] the URL', () => {
  test('is parsed for a first connection and for a reconnect', () => {
    expect(parseConnectUrl(urlOf('/sync/v51/connect'))).toEqual({
      version: 51,
      params: { clientID: 'c1', clientGroupID: 'g1', userID: 'u', baseCookie: null, lmid: 0, wsid: 'w' },
    })
    expect(parseConnectUrl(urlOf('/sync/v7/connect', { baseCookie: '1a0', lmid: '12' }))).toMatchObject({
      version: 7,
      params: { baseCookie: '1a0', lmid: 12 },
    })
  })

  test.each(['/sync/connect', '/sync/vx/connect', '/sync/v51/connect/', '/zero/sync/v51/connect', '/sync/v51/disconnect'])(
    '%s is not a connect URL',
    (path) => {
      expect(parseConnectUrl(urlOf(path))).toBeNull()
    },
  )

  test.each([
    ['clientID', ''],
    ['clientID', 'x'.repeat(129)],
    ['clientGroupID', 'with space'],
    ['lmid', '-1'],
    ['lmid', '1e3'],
    ['lmid', ''],
  ])('%s "%s" is malformed', (name, value) => {
    expect(parseConnectUrl(urlOf('/sync/v51/connect', { [name]: value }))?.params).toEqual({ invalid: expect.stringContaining(name) })
  })
})

describe('[C1] the sub-protocol', () => {
  const encode = (value: unknown) => encodeURIComponent(btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value)))))

  test('contains the token and init, in UTF-8', () => {
    const init = ['initConnection', { desiredQueriesPatch: [{ op: 'put', hash: 'h', name: 'n', args: [{ title: 'Grüße 👋' }] }] }]
    expect(decodeSubProtocol(encode({ authToken: 't', initConnectionMessage: init }))).toEqual({
      authToken: 't',
      initConnectionMessage: init,
    })
    expect(decodeSubProtocol(encode({ authToken: 't' }))).toEqual({ authToken: 't' })
    expect(decodeSubProtocol(encode({}))).toEqual({})
  })

  test.each([
    '',
    '%',
    'not base64',
    btoa('no json'),
    encode([]),
    encode({ initConnectionMessage: ['push', {}] }),
    encode({ authToken: 7 }),
  ])('%s is not a sub-protocol', (header) => {
    expect(decodeSubProtocol(header)).toBeNull()
  })
})
