// The Durable Object of the todo application, made by the factory that makes Parley's.
import { ApplicationError } from '@rocicorp/zero'
import { createUserSync } from '../../../worker/sync/create-user-sync.ts'
import type { Json } from '../../../worker/sync/engine/types.ts'
import type { Authenticate, CommitEvent, Feature } from '../../../worker/sync/object/app.ts'
import { mutators, queries, schema } from './app.ts'
import { TodoSource } from './todo-source.ts'

type TodoEnv = { readonly TODO_DB: D1Database }

/** A token names its user and session: `user:session`. */
export const authenticate: Authenticate = async (token) => {
  const [userId, sessionId] = token?.split(':') ?? []
  return userId && sessionId ? { userId, sessionId, expiresAtMs: Date.now() + 600_000 } : { refused: 'invalid' }
}

/** Counts what a feature of the application receives. */
class CommitCounter implements Feature {
  commits = 0
  changes = 0

  onCommit({ changes }: CommitEvent): void {
    this.commits += 1
    this.changes += changes.length
  }
}

const rate = { burst: 1000, perSecond: 1000 }

export class TodoSync extends createUserSync<TodoEnv, TodoSource>({
  tables: schema.tables,
  indexes: { item: [['listId'], ['userId']], list: [['userId', 'title', 'id']] },
  queries,
  queryTtlMs: 60_000,
  mutators,
  authenticate: (_env, token) => authenticate(token),
  refusalOf: (error) => ({
    error: 'app',
    message: error instanceof Error ? error.message : 'The mutation failed.',
    // The mutators of this application give JSON as details.
    ...(error instanceof ApplicationError && { details: error.details as Json }),
  }),
  limits: () => ({ maxFrameBytes: 100_000, maxClientsPerGroup: 10, mutations: rate, connects: rate, newGroups: rate }),
  source: ({ TODO_DB }, userId) => new TodoSource(TODO_DB, userId),
  features: () => [new CommitCounter()],
}) {
  /** The counts of the feature since the object woke. */
  async counted(): Promise<{ readonly commits: number; readonly changes: number } | null> {
    return this.use(async ({ features }) => {
      const [counter] = features
      return counter instanceof CommitCounter ? { commits: counter.commits, changes: counter.changes } : null
    })
  }
}
