/** Windows of messages. A wire client that desires `threads.recent` also desires the messages of each thread that it receives. */

export const messageWindow = (threadId: string, limit = 1000) => ({
  hash: `newest-${threadId}`,
  name: 'messages.newest',
  args: [{ threadId, limit }],
})

/** Sends what `desired` does not hold yet, and adds it there. */
export function sendWindowQueries(
  threadIds: readonly string[],
  desired: Set<string>,
  send: (frame: readonly [string, object]) => void,
): void {
  const windows = threadIds.map((threadId) => messageWindow(threadId)).filter(({ hash }) => !desired.has(hash))
  if (windows.length === 0) return
  for (const { hash } of windows) desired.add(hash)
  send(['changeDesiredQueries', { desiredQueriesPatch: windows.map((window) => ({ op: 'put', ttl: 300_000, ...window })) }])
}
