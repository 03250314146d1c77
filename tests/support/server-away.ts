/**
 * What a console says while nothing can be reached. Which of the browser's many net::ERR_ it is depends on what was under way, and one that
 * nobody had thought of is no complaint. So those are named that no server brings about by being away: they are of what the page asked for
 * (an address that it may not, or a stranger's), of how often it did, or of somebody who answered.
 */
const notByBeingAway = [
  ...['BLOCKED_BY_', 'ACCESS_DENIED', 'DISALLOWED_URL_SCHEME', 'UNKNOWN_URL_SCHEME', 'INVALID_URL', 'UNSAFE_PORT', 'FILE_', 'NAME_'],
  'INSUFFICIENT_RESOURCES',
  ...['CERT_', 'SSL_', 'TOO_MANY_REDIRECTS', 'UNSAFE_REDIRECT', 'HTTP_RESPONSE_CODE_FAILURE'],
]

export const serverAway = new RegExp(`WebSocket|net::ERR_(?!${notByBeingAway.join('|')})|Failed to fetch|Failed to connect`)

/** A page without a socket asks for the stream of an answer that it could not order. The server waits ten seconds for the order, then has no such answer. */
export const unorderedStream = /status of 404 .*\/api\/thread\/[\w-]+\/stream\?/
