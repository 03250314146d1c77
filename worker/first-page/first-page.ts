/** Keeps the first page of a user in KV up to date: with commits that change rows, after a connect, and by its alarm (SPEC N1 to N6). */
import type { FirstPageBindings } from '../db/cached-first-page.ts'
import type { CommitEvent, EndedSessions, Feature } from '../sync/object/app.ts'
import type { UserContext } from '../sync/object/context.ts'
import { FirstPageWriter, firstPageAlarm } from './first-page-writer.ts'

export class FirstPageCache implements Feature {
  readonly alarms = {
    [firstPageAlarm]: async () =>
      this.#outsideCommit(() => {
        this.#context.state.meta.setAlarmAt(firstPageAlarm, null)
        this.#update()
      }),
  }
  readonly #context: UserContext
  readonly #writer: FirstPageWriter

  constructor(context: UserContext, env: FirstPageBindings) {
    this.#context = context
    const { userId, state } = context
    this.#writer = new FirstPageWriter({ env, userId, state, inBackground: (work) => context.inBackground(work) })
  }

  onCommit({ hasNewVersion, isAfterImport }: CommitEvent): void {
    if (hasNewVersion || isAfterImport) this.#update()
  }

  afterCommit(): void {
    this.#writer.send()
  }

  onConnect(): void {
    if (!this.#context.isImporting) this.#outsideCommit(() => this.#writer.connected(this.#sessionIds, Date.now()))
  }

  onSessionsEnded(ended: EndedSessions): void {
    this.#writer.forget(ended)
  }

  reset(): void {
    this.#writer.reset()
  }

  /** An incomplete replica has no first page. */
  #update(): void {
    if (this.#context.isImporting) return
    const nowMs = Date.now()
    if (!this.#writer.isDue(nowMs)) this.#writer.update(this.#sessionIds, nowMs)
  }

  /** Outside a commit. */
  #outsideCommit(prepare: () => void): void {
    try {
      this.#context.state.meta.together(prepare)
    } catch (error) {
      this.#writer.reset()
      throw error
    }
    this.#writer.send()
  }

  get #sessionIds(): readonly string[] {
    return this.#context.connections.all().map(({ sessionId }) => sessionId)
  }
}
