/** Bounds of the sync protocol. All are ours unless the line names the platform. */
import { maxFrameBytes } from '../../contract/limits.ts'

/** Larger frames are closed with 1009: the client then drops its group instead of sending the frame again for ever. */
export const maxUpstreamBytes = maxFrameBytes

/** A poke part holds this many rows or this much JSON at most, whichever comes first, so that nobody has to buffer a whole load. */
export const maxPartRows = 200
export const maxPartChars = 256 * 1024
/** What one object says before it lets the other objects of its machine have their turn. */
export const maxCharsPerTurn = 1024 * 1024

/** What a connection may be told before there is a sign that its client has heard it, and how long such a sign is waited for within a poke. */
export const maxUnheardChars = 64 * 1024 * 1024
export const unheardWaitMs = 10_000

/** Ids come from browsers. They become WebSocket tags (platform: 256 characters) and parts of keys. */
export const maxIdChars = 128

/** Mutations of waiting push frames that share one D1 batch. Platform: 1,000 statements per invocation; a turn takes six. */
export const maxMutationsPerBatch = 100
/** Statements of their writes, and characters in them; the feed answers with the same rows once more. What does not fit is the next batch. */
export const maxBatchStatements = 900
export const maxBatchChars = 4_000_000

/** What may wait in the object's memory, mutations and characters of frames; beyond, a socket that sends has to wait. */
export const maxWaitingMutations = 500
export const maxWaitingChars = 4_000_000
/** Each socket that waits does so with a frame: beyond this it comes back instead. Ours; an isolate has 128 MB for everybody on it. */
export const fullWaitingChars = 2 * maxWaitingChars

/** Tabs of one person, over all their browsers: each costs memory and a share of every poke. */
export const maxConnections = 100
/** With those that were closed and have not gone: a client that vanished, or does not read, leaves one behind each time it comes back. */
export const maxSockets = 2 * maxConnections

/** Queries of one client group that are alive at once. */
export const maxQueriesPerGroup = 500
/** JSON of one query's arguments. */
export const maxQueryArgsChars = 10_000

/** Frames a connection may send for every mutation a person may make: pushes, acknowledgements, changes of queries, repetitions. */
export const framesPerMutation = 10
