/** One platform alarm, shared by everything that has a deadline. It may ring early, never late: whoever is woken asks again what is due. */
import type { DeadlineName, Meta } from './state/meta.ts'

/** In the order in which they are served when several are due. */
const names: readonly DeadlineName[] = ['tokens', 'quota', 'queries', 'import', 'turns', 'held', 'hint']

export type Deadlines = { readonly [Name in DeadlineName]: number | null }

export const readDeadlines = (meta: Meta): Deadlines => ({
  tokens: meta.deadline('tokens'),
  quota: meta.deadline('quota'),
  queries: meta.deadline('queries'),
  turns: meta.deadline('turns'),
  held: meta.deadline('held'),
  hint: meta.deadline('hint'),
  import: meta.deadline('import'),
})

export function nextAlarmAt(deadlines: Deadlines): number | null {
  const times = names.flatMap((name) => deadlines[name] ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

export const dueNames = (deadlines: Deadlines, nowMs: number): readonly DeadlineName[] =>
  names.filter((name) => (deadlines[name] ?? Number.POSITIVE_INFINITY) <= nowMs)

export class Alarm {
  readonly #storage: DurableObjectStorage
  readonly #meta: Meta
  /** Undefined until asked for after a wake; null when none is set. */
  #setAt: number | null | undefined

  constructor(storage: DurableObjectStorage, meta: Meta) {
    this.#storage = storage
    this.#meta = meta
  }

  /** Sets the alarm for the earliest deadline. A later one than set is left alone: an early ring costs less than a write each time. */
  async arm(): Promise<void> {
    const at = nextAlarmAt(readDeadlines(this.#meta))
    if (at !== null) await this.ringBy(at)
  }

  async ringBy(at: number): Promise<void> {
    this.#setAt ??= await this.#storage.getAlarm()
    if (this.#setAt !== null && this.#setAt <= at) return
    this.#setAt = at
    await this.#storage.setAlarm(at)
  }

  /** The platform's alarm is gone once it has rung. */
  rang(): void {
    this.#setAt = null
  }
}
