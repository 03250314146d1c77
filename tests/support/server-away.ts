/**
 * Console errors while nothing can be reached. Chromium has many net::ERR_ codes, and the code depends on the operation, so this list
 * excludes only those with other causes: a disallowed or foreign address, too many requests, or a responding server.
 */
const notByBeingAway = [
  ...['BLOCKED_BY_', 'ACCESS_DENIED', 'DISALLOWED_URL_SCHEME', 'UNKNOWN_URL_SCHEME', 'INVALID_URL', 'UNSAFE_PORT', 'FILE_', 'NAME_'],
  'INSUFFICIENT_RESOURCES',
  ...['CERT_', 'SSL_', 'TOO_MANY_REDIRECTS', 'UNSAFE_REDIRECT', 'HTTP_RESPONSE_CODE_FAILURE'],
]

export const serverAway = new RegExp(`WebSocket|net::ERR_(?!${notByBeingAway.join('|')})|Failed to fetch|Failed to connect`)

/**
 * A page without a socket requests the stream of an answer that it could not start. The server waits ten seconds for the start command,
 * then responds with 404.
 */
export const unorderedStream = /status of 404 .*\/api\/thread\/[\w-]+\/stream\?/
