// The checks of a connect in their order. Rules: worker/sync/SPEC.md, C2.
import { expect, test } from 'vitest'
import { type ConnectFacts, checkConnect } from '../../../../worker/sync/connect/check.ts'
import { encodeCookie } from '../../../../worker/sync/engine/versions.ts'

const init = { desiredQueriesPatch: [], clientSchema: { tables: {} } }
const known: ConnectFacts = {
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
const unknown: ConnectFacts = { ...known, baseCookie: null, lmid: 0, lastMutationID: 0, isKnown: false, hasSchema: false, init }

test.each<[string, ConnectFacts, string]>([
  ['a client that comes back', known, 'accept'],
  ['one that is as new as the server', { ...known, baseCookie: encodeCookie(9) }, 'accept'],
  ['one that is older than its server remembers mutations', { ...known, lmid: 1 }, 'accept'],
  ['a new tab of a known group', { ...known, baseCookie: null, lmid: 0 }, 'accept'],
  ['a new group', unknown, 'accept'],
  ['a new group whose init comes later', { ...unknown, init: undefined }, 'accept'],
  ['a group that the record knows as ours, from nothing', { ...unknown, isRecorded: true }, 'accept'],
  ['a group that the record knows as ours, with a cookie', { ...unknown, baseCookie: encodeCookie(5), isRecorded: true }, 'start-over'],
  ['a token whose session has ended', { ...known, isSignedIn: false }, 'Unauthorized'],
  ['the same from a group that nobody knows', { ...unknown, baseCookie: encodeCookie(5), isSignedIn: false }, 'Unauthorized'],
  ['a cookie of an unknown group', { ...unknown, baseCookie: encodeCookie(5) }, 'ClientNotFound'],
  ['a cookie from before this object lost everything', { ...unknown, baseCookie: encodeCookie(2) }, 'start-over'],
  ['the same with mutations of which the record knows nothing', { ...unknown, baseCookie: encodeCookie(2), lmid: 1 }, 'ClientNotFound'],
  ['a cookie that was never given', { ...unknown, baseCookie: encodeCookie(0) }, 'ClientNotFound'],
  ['a new group without its schema', { ...unknown, init: { desiredQueriesPatch: [] } }, 'InvalidConnectionRequest'],
  ['the same once it has connected', { ...unknown, isKnown: true, init: { desiredQueriesPatch: [] } }, 'InvalidConnectionRequest'],
  ['a cookie above the version', { ...known, baseCookie: encodeCookie(10) }, 'InvalidConnectionRequestBaseCookie'],
  ['a cookie that is none', { ...known, baseCookie: 'x y' }, 'InvalidConnectionRequestBaseCookie'],
  ['mutations that never were', { ...known, lmid: 3 }, 'InvalidConnectionRequestLastMutationID'],
  ['both: the cookie is told first', { ...known, baseCookie: encodeCookie(10), lmid: 3 }, 'InvalidConnectionRequestBaseCookie'],
])('[C2] %s', (_what, facts, expected) => {
  const verdict = checkConnect(facts)
  expect(verdict.type === 'refuse' ? verdict.error.kind : verdict.type).toBe(expected)
})
