/** `UserSync`: the sync object of one Parley user, with turns, the first-page cache and search in threads. */
import { verifySyncToken } from '../auth/token.ts'
import type { Env } from '../bindings.ts'
import {
  connectBurst,
  connectsPerSecond,
  maxClientsPerGroup,
  maxFrameBytes,
  newClientGroupBurst,
  newClientGroupsPerMinute,
} from '../contract/limits.ts'
import type { FindInThread } from '../contract/threads/find-in-thread.ts'
import type { SearchRequest } from '../contract/threads/search.ts'
import type { AwaitedTurn, FindAnswer, SearchAnswer } from '../contract/user-sync-calls.ts'
import { FirstPageCache } from '../first-page/first-page.ts'
import { Presence } from '../presence/presence.ts'
import { TemporaryThreads } from '../presence/temporary-threads.ts'
import { mustSettings } from '../settings.ts'
import { createUserSync } from '../sync/create-user-sync.ts'
import { record } from '../telemetry/record.ts'
import { ThreadSearch } from '../thread-search/search.ts'
import { runMutator } from '../turns/server-mutators.ts'
import { Turns } from '../turns/turns.ts'
import { isPaced, mutationBudget, mutatorApp, stateConfig } from './config.ts'
import { D1Source } from './d1-source.ts'
import { SharedPromptNotifications } from './shared-prompt-notifications.ts'

const Base = createUserSync<Env, D1Source>({
  ...stateConfig,
  ...mutatorApp,
  runMutator: (env) => (call) => runMutator(call, mustSettings(env).creditMicroDollars),
  authenticate: verifySyncToken,
  limits: (env) => ({
    maxFrameBytes,
    maxClientsPerGroup,
    mutations: mustSettings(env).mutationLimit,
    connects: { burst: connectBurst, perSecond: connectsPerSecond },
    newGroups: { burst: newClientGroupBurst, perSecond: newClientGroupsPerMinute / 60 },
  }),
  budget: (env) => mutationBudget(mustSettings(env).mutationsPerDay),
  isPaced,
  onStep: (env, { name, begunMs, endedMs, isFailed, mutations }, waitUntil) =>
    record(mustSettings(env), waitUntil, {
      ...{ kind: 'parley.sync.step', name: `sync ${name}`, begunMs, endedMs },
      attributes: { 'parley.mutations': mutations },
      ...(isFailed && { error: 'failed' }),
    }),
  source: (env, userId) => new D1Source(env, userId),
  isUserDeleted: (engine, userId) => engine.get('user', { id: userId }) === undefined,
  features: (context, source, env) => [
    new Turns(context, source, env),
    new FirstPageCache(context, env),
    new Presence(context),
    new TemporaryThreads(context),
    new SharedPromptNotifications(context, env),
  ],
})

export class UserSync extends Base {
  readonly #search = new ThreadSearch()

  async awaitTurn(generationId: string): Promise<AwaitedTurn> {
    return this.use(async ({ features }) => {
      const turns = features.find((feature) => feature instanceof Turns)
      return (await turns?.awaitTurn(generationId)) ?? null
    })
  }

  /** Null when the object has no rows of the user. */
  async search(request: SearchRequest): Promise<SearchAnswer> {
    return this.use((context, run) => this.#search.run(context, request, run, Date.now()))
  }

  /** Null as for `search`. */
  async findInThread(request: FindInThread): Promise<FindAnswer> {
    return this.use(async (context) => this.#search.inThread(context, request, Date.now()))
  }
}
