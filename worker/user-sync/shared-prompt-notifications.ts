/** Notifies the other members of an organization when this user has changed a prompt that they share. */
import { zql } from '../contract/schema.ts'
import type { Engine } from '../sync/engine/types.ts'
import type { Feature } from '../sync/object/app.ts'
import type { UserContext } from '../sync/object/context.ts'
import type { Applied } from '../sync/pull/source.ts'
import { findRow, rowsOf } from './replica-rows.ts'
import { notify } from './rpc.ts'

export class SharedPromptNotifications implements Feature {
  readonly #context: UserContext
  readonly #env: Parameters<typeof notify>[0]
  /** Organizations of the prompts before the commit, because a write can move a prompt to another organization. */
  #before: readonly string[] = []

  constructor(context: UserContext, env: Parameters<typeof notify>[0]) {
    this.#context = context
    this.#env = env
  }

  async beforeCommit(applied: readonly Applied[]): Promise<void> {
    this.#before = this.#organizationsOf(applied)
  }

  afterCommit(applied: readonly Applied[]): void {
    const organizationIds = [...new Set([...this.#before, ...this.#organizationsOf(applied)])]
    this.#before = []
    const { state, userId } = this.#context
    const members = organizationIds.flatMap((id) => membersOf(state.engine, id)).filter((id) => id !== userId)
    if (members.length > 0) this.#context.inBackground(notify(this.#env, members))
  }

  #organizationsOf(applied: readonly Applied[]): readonly string[] {
    const { engine } = this.#context.state
    const writes = applied.flatMap((one) => one.writes.filter(({ table }) => table === 'sharedPrompt'))
    return writes.flatMap(({ row }) => {
      const shared = findRow(engine, 'sharedPrompt', String(row.id))
      return shared ? [shared.organizationId] : []
    })
  }
}

const membersOf = (engine: Engine, organizationId: string): readonly string[] =>
  rowsOf(engine, zql.member.where('organizationId', organizationId)).map(({ userId }) => userId)
