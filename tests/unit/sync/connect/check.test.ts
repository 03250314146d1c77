// The checks of a connect in their order. Rules: worker/sync/SPEC.md, C2.
import { expect, test } from 'vitest'
import { type ConnectState, checkConnect } from '../../../../worker/sync/connect/connect.ts'
import { encodeCookie } from '../../../../worker/sync/engine/versions.ts'

const init = { desiredQueriesPatch: [], clientSchema: { tables: {} } }
const known: ConnectState = {
  isSignedIn: true,
  baseCookie: encodeCookie(5),
  lmid: 2,
  lastMutationID: 2,
  version: 9,
  floor: 3,
  isKnown: true,
  hasSchema: true,
  isRecorded: false,
  init: { desiredQueriesPatch: [] },
}
const unknown: ConnectState = { ...known, baseCookie: null, lmid: 0, lastMutationID: 0, isKnown: false, hasSchema: false, init }

test.each<[string, ConnectState, string]>([
  ['a client that reconnects', known, 'accept'],
  ['a client at the current version', { ...known, baseCookie: encodeCookie(9) }, 'accept'],
  ['a client that has seen fewer mutations confirmed than were applied', { ...known, lmid: 1 }, 'accept'],
  ['a new tab of a known group', { ...known, baseCookie: null, lmid: 0 }, 'accept'],
  ['a new group', unknown, 'accept'],
  ['a new group whose init comes later', { ...unknown, init: undefined }, 'accept'],
  ['a group that D1 lists for this user, without a cookie', { ...unknown, isRecorded: true }, 'accept'],
  ['a group that D1 lists for this user, with a cookie', { ...unknown, baseCookie: encodeCookie(5), isRecorded: true }, 'start-over'],
  ['a token whose session has ended', { ...known, isSignedIn: false }, 'Unauthorized'],
  [
    'a token whose session has ended, with an unknown group',
    { ...unknown, baseCookie: encodeCookie(5), isSignedIn: false },
    'Unauthorized',
  ],
  ['a cookie of an unknown group', { ...unknown, baseCookie: encodeCookie(5) }, 'ClientNotFound'],
  ['a cookie from before the object lost its storage', { ...unknown, baseCookie: encodeCookie(2) }, 'start-over'],
  [
    'a cookie from before the loss, with confirmed mutations that D1 lacks',
    { ...unknown, baseCookie: encodeCookie(2), lmid: 1 },
    'ClientNotFound',
  ],
  ['a cookie that was never issued', { ...unknown, baseCookie: encodeCookie(0) }, 'ClientNotFound'],
  ['a new group without its schema', { ...unknown, init: { desiredQueriesPatch: [] } }, 'InvalidConnectionRequest'],
  ['a known group without its schema', { ...unknown, isKnown: true, init: { desiredQueriesPatch: [] } }, 'InvalidConnectionRequest'],
  ['a cookie above the version', { ...known, baseCookie: encodeCookie(10) }, 'InvalidConnectionRequestBaseCookie'],
  ['a malformed cookie', { ...known, baseCookie: 'x y' }, 'InvalidConnectionRequestBaseCookie'],
  ['more mutations confirmed than were applied', { ...known, lmid: 3 }, 'InvalidConnectionRequestLastMutationID'],
  [
    'a cookie and mutations above the server: the cookie is reported',
    { ...known, baseCookie: encodeCookie(10), lmid: 3 },
    'InvalidConnectionRequestBaseCookie',
  ],
])('[C2] %s', (_what, state, expected) => {
  const verdict = checkConnect(state)
  expect(verdict.type === 'refuse' ? verdict.error.kind : verdict.type).toBe(expected)
})
