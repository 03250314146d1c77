// Console errors that are ignored while a server is unreachable.
import { expect, test } from 'vitest'
import { serverAway } from '../../support/server-away.ts'

const notLoaded = (reason: string) => `Failed to load resource: net::${reason}`

test.each([
  ...['ERR_CONNECTION_REFUSED', 'ERR_CONNECTION_RESET', 'ERR_CONNECTION_CLOSED', 'ERR_EMPTY_RESPONSE', 'ERR_INCOMPLETE_CHUNKED_ENCODING'],
  ...['ERR_SOCKET_NOT_CONNECTED', 'ERR_NETWORK_CHANGED', 'ERR_INTERNET_DISCONNECTED', 'ERR_ABORTED', 'ERR_TIMED_OUT', 'ERR_FAILED'],
  ...['ERR_CONTENT_LENGTH_MISMATCH', 'ERR_INVALID_HTTP_RESPONSE', 'ERR_OF_A_LATER_BROWSER'],
])('%s is ignored', (reason) => expect(notLoaded(reason)).toMatch(serverAway))

test.each([
  ...['ERR_BLOCKED_BY_CSP', 'ERR_BLOCKED_BY_CLIENT', 'ERR_BLOCKED_BY_RESPONSE', 'ERR_BLOCKED_BY_ORB', 'ERR_UNKNOWN_URL_SCHEME'],
  ...['ERR_NAME_NOT_RESOLVED', 'ERR_INSUFFICIENT_RESOURCES', 'ERR_TOO_MANY_REDIRECTS', 'ERR_CERT_AUTHORITY_INVALID'],
])('%s is not ignored', (reason) => expect(notLoaded(reason)).not.toMatch(serverAway))
