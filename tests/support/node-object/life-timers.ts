/**
 * Timers of objects in memory. As on the platform, they belong to the instance that set them and end with it. They fire by the test's
 * clock.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { vi } from 'vitest'

type Timer = { readonly atMs: number; readonly run: () => void }

/** One instance of an object. Its code runs within it. */
export class Life {
  /** Checked after every wait for outside results: an ended instance receives none. */
  isOver = false
  readonly #timers = new Set<Timer>()

  set(timer: Timer): Timer {
    // An ended instance runs on until it waits for something that never arrives.
    if (!this.isOver) this.#timers.add(timer)
    return timer
  }

  /** False if the timer belongs to another instance. */
  clear(timer: unknown): boolean {
    return this.#timers.delete(timer as Timer)
  }

  end(): void {
    this.isOver = true
    this.#timers.clear()
  }

  /** Runs the timers that are due, earliest first. */
  runTimers(nowMs: number): void {
    const due = [...this.#timers].filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs)
    for (const timer of due) if (this.#timers.delete(timer)) timer.run()
  }
}

const lives = new AsyncLocalStorage<Life>()

/** The same object, with calls and their follow-ups running within this instance. */
export function inLife<T extends object>(life: Life, make: () => T): T {
  return new Proxy(lives.run(life, make), {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => lives.run(life, () => Reflect.apply(member, target, args) as unknown)
    },
  })
}

/** Until the end of the test file. */
export function installTimers(): void {
  const [set, clear] = [globalThis.setTimeout, globalThis.clearTimeout]
  const setOfLife = (run: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]): unknown => {
    const life = lives.getStore()
    return life ? life.set({ atMs: Date.now() + delayMs, run: () => run(...args) }) : set(run, delayMs, ...args)
  }
  const clearOfLife = (timer: unknown): void => {
    if (!lives.getStore()?.clear(timer)) clear(timer as NodeJS.Timeout)
  }
  vi.stubGlobal('setTimeout', setOfLife)
  vi.stubGlobal('clearTimeout', clearOfLife)
}
