import type { NodeD1 } from './node-d1.ts'

/** The statement after `count` statements fails, counted over all databases, like a process that is killed there. True if there were more. */
export async function interrupted(databases: readonly NodeD1[], count: number, work: () => Promise<unknown>): Promise<boolean> {
  let left = count
  const fail = () => {
    if (left-- <= 0) throw new Error('D1_ERROR: Network connection lost.')
  }
  for (const db of databases) db.onStatement = fail
  try {
    await work()
    return false
  } catch {
    return true
  } finally {
    for (const db of databases) db.onStatement = () => undefined
  }
}
