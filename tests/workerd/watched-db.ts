// A D1 that counts requests and can fail before or after it has committed a batch.

/**
 * `lost`: the batch never arrived. `response-lost`: it was committed, and the response was lost. Anything else is thrown as D1’s message.
 */
type BatchFault = 'lost' | 'response-lost' | { readonly message: string }

export type DbWatch = {
  /** Used by the next writing batches, in order. */
  readonly faults: BatchFault[]
  /** Statements of every batch, in order. */
  readonly batches: (readonly string[])[]
  /** Round trips without a batch. */
  readonly singles: string[]
  /** Batches wait for it before they reach D1. */
  gate: Promise<void> | null
  /** While true, D1 executes batches and their answers are withheld until the test calls the functions in `heldAnswers`. */
  holdsAnswers: boolean
  readonly heldAnswers: (() => void)[]
  /** The next batch of this kind does what its fault says and then never answers, like one whose caller has died. */
  sticksAt: 'write' | 'any' | null
  hasStuck: boolean
  /** This batch, counted from the first, never arrives. */
  failsAtBatch: number | null
}

const connectionLost = 'D1_ERROR: Network connection lost.'

/** Keeps the text of statements, which D1's objects do not expose. */
type Watched = { readonly text: string; readonly statement: D1PreparedStatement }

export function watchDb(db: D1Database, watch: DbWatch): D1Database {
  const known = new WeakMap<object, Watched>()

  const wrap = (text: string, statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get(target, name) {
        if (name === 'bind') return (...values: unknown[]) => wrap(text, target.bind(...values))
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          watch.singles.push(text)
          return value.apply(target, args)
        }
      },
    })
    known.set(wrapped, { text, statement })
    return wrapped
  }

  return new Proxy(db, {
    get(target, name) {
      if (name === 'prepare') return (text: string) => wrap(text, target.prepare(text))
      if (name === 'batch') {
        return async (statements: D1PreparedStatement[]) => {
          const asked = statements.map((statement) => known.get(statement) ?? { text: '', statement })
          const texts = asked.map(({ text }) => text)
          const number = watch.batches.push(texts)
          const fault = texts.some(isWrite) ? watch.faults.shift() : undefined
          await watch.gate
          const sticks = watch.sticksAt === 'any' || (watch.sticksAt === 'write' && texts.some(isWrite))
          if (sticks && fault !== 'lost') await target.batch(asked.map(({ statement }) => statement))
          if (sticks) {
            watch.hasStuck = true
            return new Promise<never>(() => undefined)
          }
          if (fault === 'lost' || number === watch.failsAtBatch) throw new Error(connectionLost)
          if (typeof fault === 'object') throw new Error(fault.message)
          const results = await target.batch(asked.map(({ statement }) => statement))
          if (watch.holdsAnswers) await new Promise<void>((release) => watch.heldAnswers.push(release))
          if (fault === 'response-lost') throw new Error(connectionLost)
          return results
        }
      }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

export const isWrite = (text: string): boolean => /^\s*(insert|update|delete)\b/i.test(text)
