/** Limits of the sync protocol that no deployment changes. Chosen, unless the line names the platform. */

/** A poke part holds at most this many rows or this much JSON. */
export const maxPartRows = 200
export const maxPartChars = 256 * 1024
/** What one object sends before it yields to the other objects of the same process. */
export const maxCharsPerTick = 1024 * 1024

/** Ids come from browsers. They become WebSocket tags (platform: 256 characters) and parts of keys. */
export const maxIdChars = 128

/** Mutations of waiting push frames that share one commit. */
export const maxMutationsPerBatch = 100
/** Characters in the rows of one commit; the feed returns the same rows again. The rest is the next commit. */
export const maxBatchChars = 4_000_000

/** Mutations and characters of frames that may wait in memory. Above either, `webSocketMessage` of the sender waits too. */
export const maxWaitingMutations = 500
export const maxWaitingChars = 4_000_000
/** Above this the sender is closed with `ServerOverloaded`. An isolate has 128 MB for all objects in it. */
export const fullWaitingChars = 2 * maxWaitingChars

/** Connections of one user. */
export const maxConnections = 100
/** With sockets that the server closed and the client has not answered: the runtime still holds their buffers. */
export const maxSockets = 2 * maxConnections

/** Live queries of one client group. */
export const maxQueriesPerGroup = 500
/** JSON of one query's arguments. */
export const maxQueryArgsChars = 10_000

/** Frames that a connection may send per mutation that the user may send: pushes, acknowledgements, query changes, repetitions. */
export const framesPerMutation = 10
