/** One platform alarm, shared by everything that has a deadline. It may ring early, never late: whoever is woken asks again what is due. */
import type { DeadlineName, Meta } from './state/meta.ts'

const names: readonly DeadlineName[] = ['turns', 'queries']

export type Deadlines = { readonly [Name in DeadlineName]: number | null }

export const readDeadlines = (meta: Meta): Deadlines => ({ turns: meta.deadline('turns'), queries: meta.deadline('queries') })

export function nextAlarmAt(deadlines: Deadlines): number | null {
  const times = names.flatMap((name) => deadlines[name] ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

export const isDue = (deadline: number | null, nowMs: number): boolean => deadline !== null && deadline <= nowMs

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
    if (at === null) return
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
