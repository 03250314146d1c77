// A KV with every fault it can have: values up to a minute old, deleted values, values from before a deletion, and refused calls. It also
// returns values of other users under this key, and invalid values.
import type { Rng } from '../../support/rng.ts'

export const moods = [
  ...['fresh', 'stale', 'absent', 'refuses to read', 'refuses to write', 'old after a deletion', 'a day old', 'almost a day old'],
  ...["somebody else's", 'cut off', 'of another version', 'no JSON'],
] as const
export type Mood = (typeof moods)[number]

const staleMs = 60_000
const tooManyRequests = () => new Error('KV PUT failed: 429 Too Many Requests')

export class FickleKv {
  mood: Mood = 'fresh'
  readonly #rng: Rng
  readonly #now: () => number
  readonly #history = new Map<string, { readonly atMs: number; readonly text: string | null }[]>()

  constructor(rng: Rng, now: () => number) {
    this.#rng = rng
    this.#now = now
  }

  get namespace(): KVNamespace {
    return this as unknown as KVNamespace
  }

  async put(key: string, text: string): Promise<void> {
    if (this.mood === 'refuses to write') throw tooManyRequests()
    this.#remember(key, text)
  }

  async delete(key: string): Promise<void> {
    this.#remember(key, null)
  }

  async get(key: string): Promise<string | null> {
    const history = this.#history.get(key) ?? []
    const newest = history.at(-1)?.text ?? null
    switch (this.mood) {
      case 'refuses to read':
        throw new Error('KV GET failed: 429 Too Many Requests')
      case 'absent':
        return null
      case 'stale':
        return history.findLast(({ atMs }) => atMs <= this.#now() - this.#rng.below(staleMs))?.text ?? null
      case 'old after a deletion':
        return history.findLast(({ text }) => text !== null && text !== newest)?.text ?? null
      case 'a day old':
        return withAge(newest, this.#now(), 86_400_000)
      case 'almost a day old':
        return withAge(newest, this.#now(), 86_399_999)
      case "somebody else's": {
        const others = [...this.#history].filter(([other]) => other.split('/')[1] !== key.split('/')[1])
        return others.length === 0 ? null : (this.#rng.pick(others)[1].at(-1)?.text ?? null)
      }
      case 'cut off':
        return newest?.slice(0, this.#rng.below(newest.length)) ?? null
      case 'of another version':
        return newest?.replace(/"version":"[^"]*"/, '"version":"0-0"') ?? null
      case 'no JSON':
        return '<html>'
      default:
        return newest
    }
  }

  #remember(key: string, text: string | null): void {
    const history = this.#history.get(key) ?? []
    history.push({ atMs: this.#now(), text })
    this.#history.set(key, history.slice(-50))
  }
}

const withAge = (text: string | null, nowMs: number, ageMs: number): string | null =>
  text?.replace(/"writtenAtMs":\d+/, `"writtenAtMs":${nowMs - ageMs}`) ?? null
